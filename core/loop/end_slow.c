/* SPDX-License-Identifier: MIT */
#include "core/loop/end_slow.h"
#include "core/loop/busy.h"
#include "core/loop/calling_thread.h"
#include "core/loop/clock_gap.h"
#include "core/loop/phase_end.h"
#include "core/loop/ignored_actions.h"
#include "core/loop/misuse.h"
#include "core/loop/region_fast.h"
#include "core/loop/recording_windows.h"

SWI_HOT static void batch_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                              int64_t now)
{
    uint32_t first = thread->frame->first;
    if (!thread->loop) {
        swi_region_end(sw, thread, samples, now);
        return;
    }
    thread->fold_at =
        SWI_GET(thread->ended) + thread->ended_capacity; /* the step is folded below */
    enum sw_phase phase = thread->phase;
    swi_region_end_here(sw, thread, samples, now);
    swi_step_end(sw, thread, first, samples, now);
    swi_phase_back(thread);
    if (SWI_UNLIKELY(SWI_GET(sw->loop.windows_due)) && phase == SW_PHASE_TRAIN)
        swi_windows_step(sw, now);
}

/* Discards what is open above `depth` when the region at `depth` ends. A fit among it is ended,
 * with its report. */
static SWI_APART void uncover(struct sw_profiler *sw, struct swi_thread *thread, int depth,
                              int64_t now)
{
    int fit = thread->loop ? swi_frame_of(thread, SW_FIT) : 0;
    if (fit > depth) {
        swi_regions_discard(sw, thread, fit, now);
        swi_phase_end(sw, thread, now);
    }
    swi_regions_discard(sw, thread, depth, now);
}

/* Makes the innermost open region of an action the innermost of all. Returns false if there is
 * none. */
static SWI_INLINE bool frame_uncover(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                     bool ends, int64_t now)
{
    int depth = swi_frame_of(thread, action);
    if (SWI_UNLIKELY(depth && swi_depth(thread) > depth)) {
        if (ends)
            swi_misuses_crossed(sw, thread, depth, action);
        uncover(sw, thread, depth, now);
    }
    return depth != 0;
}

bool swi_cancelled_uncover(struct sw_profiler *sw, struct swi_thread *thread, int action,
                           int64_t now)
{
    return frame_uncover(sw, thread, action, false, now);
}

SWI_HOT bool swi_end_is_ignored(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    if (swi_is_ignored_slow(sw, action))
        return true;
    if (!thread->too_deep)
        return false;
    if (--thread->too_deep == 0 && !swi_is_special(thread->frame->action) && !thread->tracing &&
        !thread->probe)
        thread->frame->plain = thread->frame->action;
    return true;
}

/* A row keeps its first values in the order of the calls, so the steps before this region, if it
 * counts at once, go into their rows first. */
SWI_HOT static void region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    const struct swi_frame *frame = thread->frame;
    bool draw = frame->action == SW_DRAW;
    if (thread->at_once && !swi_row_usual(frame->row, now - frame->start))
        swi_waiting_add(sw, thread);
    swi_region_end(sw, thread, -1, now);
    if (draw)
        swi_draw_left(thread);
}

SWI_HOT void swi_end_slow(struct sw_profiler *sw, struct swi_thread *thread, int action,
                          int64_t samples, int64_t now)
{
    SWI_BUSY(sw);
    swi_gaps_check(sw, thread, now);
    if (swi_end_is_ignored(sw, thread, action))
        return;
    if (SWI_UNLIKELY(swi_is_copied(&sw->measured))) {
        swi_thread_find(sw);
        return;
    }
    if (!frame_uncover(sw, thread, action, true, now)) {
        /* A scope, or a region of C++, also ends its batch if sw_end_batch() has ended it. */
        if (action == SW_BATCH && samples == 0 && SWI_GET(thread->elapsed.steps) > 0)
            return;
        swi_misuse(sw, thread, SWI_NOT_BEGUN, action, -1);
        return;
    }
    if (action == SW_BATCH)
        batch_end(sw, thread, samples, now);
    else if (thread->loop && swi_is_container(action))
        swi_phase_end(sw, thread, now);
    else
        region_end(sw, thread, now);
}

void swi_end_closer(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    SWI_BUSY(sw);
    swi_gaps_check(sw, thread, now);
    if (swi_is_plain(thread, action))
        region_end(sw, thread, now);
    else
        swi_end_slow(sw, thread, action, 0, now);
}
