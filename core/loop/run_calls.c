/* SPDX-License-Identifier: MIT */
/* What a program says of its run besides regions and values: step numbers, messages, clocks, its
 * exit status; and what the replay of a log says. */
#include "core/delivery/run_copy.h"
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/step.h"
#include "core/monitors/monitors.h"
#include "core/process/own_floats.h"

#include <stepwatch/replay.h>

void sw_set_step(struct sw_profiler *sw, int64_t step)
{
    if (!sw || step < 0)
        return;
    SWI_FOLDED(&sw->measured);
    struct swi_progress *progress = &sw->measured.progress;
    int64_t next = step < SWI_STEP_MAX ? step : SWI_STEP_MAX, set = SWI_GET(progress->set_step);
    bool stepped = SWI_GET(progress->step) != (set ? set - 1 : 0);
    SWI_SET(progress->set_step, stepped ? SWI_STEP_SET_PASSED : next + 1);
    SWI_SET(progress->step, next);
}

int64_t sw_get_step(struct sw_profiler *sw)
{
    if (!sw)
        return 0;
    SWI_FOLDED(&sw->measured);
    return SWI_GET(sw->measured.progress.step);
}

void sw_expect_steps(struct sw_profiler *sw, int64_t steps)
{
    if (sw)
        SWI_SET(sw->measured.progress.expected, steps > 0 ? steps : 0);
}

bool sw_should_stop(struct sw_profiler *sw)
{
    return sw && !atomic_load(&sw->measured.dead) && swi_pipeline_stopped(sw->records.pipeline);
}

void sw_set_exit_status(struct sw_profiler *sw, int status)
{
    if (sw)
        atomic_store(&sw->ending.exit_status, status);
}

void sw_set_interrupted(struct sw_profiler *sw, int signal, const char *cause)
{
    if (!sw)
        return;
    sw->ending.interrupted = true;
    sw->reports.costs.ended = true;
    sw->ending.signal = signal;
    snprintf(sw->ending.cause, sizeof sw->ending.cause, "%s", cause ? cause : "");
}

void sw_set_messages(struct sw_profiler *sw, sw_message_fn *fn, void *arg)
{
    if (sw && !swi_is_copy())
        swi_messages_set(&sw->records.messages, fn, arg);
}

void sw_set_clock(struct sw_profiler *sw, sw_clock_fn *now_ns, void *arg)
{
    SWI_OWN_FLOATS;
    if (!sw || !now_ns)
        return;
    SWI_FOLDED(&sw->measured);
    swi_monitors_clock_hold(sw->monitors);
    swi_clock_set(&sw->measured.clock, now_ns, arg);
    swi_monitors_clock_release(sw->monitors);
    swi_counting_forget_cost(sw);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
}

void sw_set_start(struct sw_profiler *sw, double started_s)
{
    SWI_OWN_FLOATS;
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    swi_run_replayed(&sw->records.run, started_s);
    swi_monitors_give_up(sw->monitors);
}

void sw_set_costs(struct sw_profiler *sw, int fit, double own_ns, double joules)
{
    SWI_OWN_FLOATS;
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    pthread_mutex_lock(&sw->measured.lock);
    swi_replayed_costs_add(&sw->reports.costs, &(struct swi_replayed_cost){fit, own_ns, joules});
    pthread_mutex_unlock(&sw->measured.lock);
}
