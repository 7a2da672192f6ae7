/* SPDX-License-Identifier: MIT */
#include "core/loop/phase_end.h"
#include "core/loop/calling_thread.h"
#include "core/loop/ended_regions.h"
#include "core/loop/fit.h"
#include "core/loop/fit_end.h"
#include "core/loop/misuse.h"
#include "core/loop/stack.h"
#include "core/loop/step.h"

void swi_phase_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    SWI_RARE_WORK(&sw->measured);
    int action = thread->frame->action;
    swi_ended_discard(thread, UINT32_MAX);
    swi_region_end(sw, thread, -1, now);
    swi_ended_fold(sw, thread);
    swi_phase_restore(thread, now);
    swi_steps_restart(sw, action);
    swi_fit_findings_cut(sw, action, false);
    if (action == SW_EPOCH)
        swi_epoch_ended(sw, thread, now);
    swi_emit_mark(&sw->records, SW_REGION_END, action, now);
    if (action == SW_FIT)
        swi_fit_ended(sw, thread, now);
}

static void fit_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int depth = swi_frame_of(thread, SW_FIT);
    if (depth)
        swi_regions_discard(sw, thread, depth, now);
    if (depth)
        swi_phase_end(sw, thread, now);
    else
        swi_fit_ended(sw, thread, now); /* a pause on another thread has removed its frame */
}

static void open_at_close_tell(struct sw_profiler *sw, struct swi_thread *thread)
{
    for (int i = swi_depth(thread) - swi_frame_of(thread, SW_FIT); i-- > 0;)
        swi_misuse(sw, thread, SWI_OPEN_AT_CLOSE, thread->frame[-i].action, -1);
}

void swi_fit_replace(struct sw_profiler *sw, struct swi_thread *thread)
{
    SWI_RARE_WORK(&sw->measured);
    if (!SWI_GET(sw->measured.progress.fit_inserted))
        swi_misuse(sw, thread, SWI_BEGUN_TWICE, SW_FIT, -1);
    swi_misuses_crossed(sw, thread, swi_frame_of(thread, SW_FIT), SW_FIT);
    fit_end(sw, thread, swi_clock_tick(&sw->measured.clock));
}

/* If a program has only its own actions, they form a fit on the thread that measured first. The
 * caller makes sure that no other thread does this. */
int64_t swi_fit_close(struct sw_profiler *sw)
{
    int64_t now = swi_clock_tick(&sw->measured.clock);
    struct swi_thread *loop = atomic_load(&sw->measured.loop);
    bool none = !loop && !SWI_GET(sw->measured.progress.fit_number);
    if (none)
        loop = swi_thread_first(&sw->measured);
    if (!loop)
        return now;
    swi_current_set(sw, loop);
    if (none)
        swi_loop_claim(sw, loop, SW_STEP);
    sw->loop.fit_untold = none;
    open_at_close_tell(sw, loop);
    fit_end(sw, loop, now);
    return now;
}
