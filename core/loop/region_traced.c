/* SPDX-License-Identifier: MIT */
#include "core/loop/region_traced.h"
#include "core/loop/begin_slow.h"
#include "core/loop/end_slow.h"
#include "core/loop/ignored_actions.h"
#include "core/loop/region_fast.h"

/* Begins an action if a sink wants every region: then `fast` has no entries and `traced` has them.
 * Returns false if the action needs the slow way anyway. Call it if swi_can_be_fast(). now 0: reads
 * the counter here. */
static SWI_INLINE bool begin_traced(struct swi_thread *thread, int action, int64_t now)
{
    if (!thread->traced)
        return false;
    struct swi_row **entry = swi_fast_entry(thread->traced, action), *row = *entry;
    if (!row || !swi_trace_has_room(SWI_GET(thread->trace), 1))
        return false;
    struct swi_frame *frame = swi_frame_fill(thread, entry, row, action, swi_plain_traced(action));
    int64_t start = now ? now : swi_counter();
    swi_frame_begin(thread, frame, row, start);
    swi_trace_region(thread, SW_REGION_BEGIN, action, start);
    return true;
}

void swi_begin_without_entry(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    if (!begin_traced(thread, action, 0))
        swi_begin_slow(sw, thread, action, 0);
}

void swi_begin_without_entry_at(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                int64_t now)
{
    if (!swi_can_be_fast(thread, action) || !begin_traced(thread, action, now))
        swi_begin_slow(sw, thread, action, now);
}

void swi_begin_at(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    struct swi_row *row = swi_fast_row(thread, action);
    if (!row && now) {
        swi_begin_without_entry_at(sw, thread, action, now);
        return;
    }
    if (!row) {
        swi_begin_slow(sw, thread, action, 0);
        return;
    }
    struct swi_frame *frame = swi_frame_fill_fast(thread, row, action);
    swi_frame_begin(thread, frame, row, now ? now : swi_clock_tick(&sw->measured.clock));
}

/* Ends the innermost region of an action when a sink wants every region. Returns false if that
 * needs the slow way. */
static SWI_INLINE bool end_traced(struct swi_thread *thread, int action, int64_t now)
{
    const struct swi_end_trace traced = {NULL, -1};
    const struct swi_frame *frame = thread->frame;
    int64_t ticks = now - frame->start;
    if (frame->plain != swi_plain_traced(action) || !thread->traced || action < 0 ||
        !swi_ends_fast(thread, ticks) || !swi_trace_has_room(SWI_GET(thread->trace), 1))
        return false;
    swi_region_move(thread, ticks, true, &traced, NULL);
    return true;
}

void swi_end_at(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    if (!end_traced(thread, action, now))
        swi_end_closer(sw, thread, action, now);
}

/* An action that is not measured in this mode has no region, but it still ends its sibling. */
void swi_next_at(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    if (swi_has_sibling(thread))
        swi_end_at(sw, thread, thread->frame->action, now);
    swi_begin_at(sw, thread, action, now);
}

void swi_next_not_plain(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    if (swi_is_ignored(sw, action) && !swi_has_sibling(thread))
        return;
    int64_t now = swi_clock_tick(&sw->measured.clock);
    if (!end_traced(thread, thread->frame->action, now))
        swi_next_at(sw, thread, action, now);
    else if (!swi_can_be_fast(thread, action) || !begin_traced(thread, action, now))
        swi_begin_slow(sw, thread, action, now);
}
