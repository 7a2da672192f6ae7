/* SPDX-License-Identifier: MIT */
/* sw_log() and sw_log_at(): values with a name. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/calling_thread.h"
#include "core/loop/misuse.h"
#include "core/loop/note_event.h"
#include "core/loop/sampling.h"
#include "core/loop/step.h"
#include "core/records/metric_record.h"

#include <stepwatch/monitor.h>

#include <stdlib.h>
#include <string.h>

/* What the loop's thread logs is in its place among its other calls. */
static SWI_INLINE void log_kept(struct sw_profiler *sw, struct swi_thread *thread,
                                const struct swi_logged *logged)
{
    int64_t now = swi_clock_tick(&sw->measured.clock), bits;
    int number = swi_metric_name_number(logged->name);
    if (SWI_LIKELY(thread->claimed && logged->step == SWI_STEP_OF_LOOP && number)) {
        memcpy(&bits, &logged->value, sizeof bits);
        swi_note_number(thread, now, swi_event_what(SWI_EVENT_LOG, number, 0), bits);
        return;
    }
    SWI_FOLDED(&sw->measured);
    if (logged->step == SWI_STEP_OF_LOOP)
        swi_log_fold(sw, thread, logged->name, logged->value, now);
    else
        swi_log_alone(sw, thread, logged, now);
}

/* The name is not kept: there are too many, there was no memory, or it does not belong to a metric.
 */
static SWI_NOINLINE void log_own(struct sw_profiler *sw, struct swi_thread *thread,
                                 const struct swi_logged *logged)
{
    SWI_FOLDED(&sw->measured);
    int64_t now = swi_clock_tick(&sw->measured.clock);
    enum sw_value_kind kind = swi_names_kind(sw->records.names, logged->name);
    struct swi_own_name *own = kind == SWI_NUMBER ? swi_own_name_new(logged->name) : NULL;
    struct swi_logged named = {own ? own->text : NULL, own, logged->value, logged->step};
    if (kind != SWI_NUMBER) {
        swi_refuse(&sw->records.refusals, &sw->records.messages, SWI_NUMBER, logged->name,
                   "the name has %s", swi_values_plural(kind));
    } else if (!own) {
        swi_no_memory(&sw->records, "a metric's name");
    } else if (!thread->loop || named.step != SWI_STEP_OF_LOOP || swi_steps_are_own(sw, thread)) {
        swi_log_alone(sw, thread, &named, now);
    } else {
        own->next = sw->loop.values.own_names;
        sw->loop.values.own_names = own;
        swi_log_in_loop(sw, thread, own->text, logged->value, now);
    }
}

/* A timed call uses this name, so that no preloaded library comes between. */
static __typeof__(sw_log) log_call __attribute__((alias("sw_log")));

static SWI_NOINLINE void log_timed(struct sw_profiler *sw, struct swi_thread *thread,
                                   const char *name, double value)
{
    SWI_TIMED(sw, thread, 0, log_call(sw, name, value), false);
}

static SWI_NOINLINE void nan_tell(struct sw_profiler *sw, const struct swi_thread *thread,
                                  const struct swi_logged *logged)
{
    int64_t step = logged->step;
    if (step == SWI_STEP_OF_LOOP) {
        SWI_FOLDED(&sw->measured);
        step = swi_step_current(sw, thread);
    }
    swi_alert_nan(sw, logged->name, step);
}

static SWI_INLINE void log_value(struct sw_profiler *sw, struct swi_thread *thread,
                                 struct swi_logged *logged)
{
    if (!thread || !logged->name || !swi_wants(&sw->records, SW_RECORD_METRICS))
        return;
    const char *kept = swi_names_get(sw->records.names, logged->name, false);
    if (!kept) {
        log_own(sw, thread, logged);
        return;
    }
    logged->name = kept;
    if (SWI_UNLIKELY(swi_name_turns_nan(kept, logged->value)))
        nan_tell(sw, thread, logged);
    log_kept(sw, thread, logged);
}

SWI_NOINLINE void sw_log(struct sw_profiler *sw, const char *name, double value)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    struct swi_logged logged = {name, NULL, value, SWI_STEP_OF_LOOP};
    if (thread && swi_is_timed(thread))
        log_timed(sw, thread, name, value);
    else
        log_value(sw, thread, &logged);
}

SWI_NOINLINE void sw_log_at(struct sw_profiler *sw, const char *name, double value, int64_t step)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    int64_t at = step < 0 ? 0 : step < SWI_STEP_MAX ? step : SWI_STEP_MAX;
    struct swi_logged logged = {name, NULL, value, at};
    log_value(sw, thread, &logged);
}

/* ---- logs samples that the program itself took ----------------------------------------------- */

void sw_log_sample(struct sw_profiler *sw, const char *const *names, const double *values,
                   size_t count)
{
    if (!sw || !names || !values || atomic_load(&sw->measured.dead) ||
        swi_is_inherited(&sw->measured))
        return;
    SWI_RARE_WORK(&sw->measured);
    SWI_FOLDED(&sw->measured); /* the step that the program is at */
    struct sw_metric *metric = calloc(count + 1, sizeof *metric);
    if (!metric)
        swi_no_memory(&sw->records, "a sample");
    for (size_t i = 0; metric && i < count; i++)
        metric[i] = (struct sw_metric){names[i], values[i], SW_BY_MONITOR};
    if (metric)
        swi_recorder_sample(&sw->records, metric, count, swi_sampled_now(&sw->records));
    free(metric);
}
