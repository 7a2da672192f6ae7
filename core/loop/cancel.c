/* SPDX-License-Identifier: MIT */
/* sw_cancel(): the innermost region of an action does not count, what ended inside it does. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/busy.h"
#include "core/loop/end_slow.h"
#include "core/loop/ignored_actions.h"
#include "core/loop/misuse.h"
#include "core/loop/sampling.h"
#include "core/loop/stack.h"

/* Regions that ended in the batch count. */
static void batch_cancel(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    uint32_t first = thread->frame->first;
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_CANCEL, SW_BATCH, now, -1);
    swi_frame_drop(thread);
    swi_probe_end(sw, thread, now);
    swi_step_cancel(sw, thread, first, now);
    swi_phase_back(thread);
}

static void cancel(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    SWI_BUSY(sw);
    /* What remains of a fit is still reported. */
    if (thread->loop && action == SW_FIT) {
        swi_end_slow(sw, thread, action, 0, now);
        return;
    }
    if (swi_end_is_ignored(sw, thread, action))
        return;
    if (!swi_cancelled_uncover(sw, thread, action, now)) {
        swi_misuse(sw, thread, SWI_CANCEL_NOT_BEGUN, action, -1);
        return;
    }
    if (thread->loop && action == SW_BATCH) {
        batch_cancel(sw, thread, now);
        return;
    }
    swi_regions_cancel(sw, thread, swi_depth(thread) - 1, now);
    SWI_SET(thread->discarded, SWI_GET(thread->discarded) - 1); /* it was asked for */
}

/* The timed call uses this name, so that no preloaded library comes between. */
static __typeof__(sw_cancel) cancel_call __attribute__((alias("sw_cancel")));

static SWI_APART void cancel_timed(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    SWI_TIMED(sw, thread, 0, cancel_call(sw, action), false);
}

SWI_APART void sw_cancel(struct sw_profiler *sw, int action)
{
    struct swi_thread *thread = sw && !swi_busy_refuses(action) ? swi_thread_get(sw) : NULL;
    if (thread && swi_is_timed(thread))
        cancel_timed(sw, thread, action);
    else if (thread && !swi_is_ignored(sw, action))
        cancel(sw, thread, action, swi_clock_tick(&sw->measured.clock));
}
