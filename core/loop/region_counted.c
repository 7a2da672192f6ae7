/* SPDX-License-Identifier: MIT */
#include "core/loop/region_counted.h"
#include "core/loop/begin_slow.h"
#include "core/loop/counting.h"
#include "core/loop/ignored_actions.h"
#include "core/loop/region_fast.h"
#include "core/loop/region_traced.h"

/* now: as for swi_begin_at(), with the values that ended the previous region. */
static SWI_INLINE void begin_read(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                  int64_t now)
{
    struct swi_row *row = swi_fast_row(thread, action);
    if (SWI_UNLIKELY(!row)) {
        swi_begin_slow(sw, thread, action, now);
        return;
    }
    struct swi_frame *frame = swi_frame_fill_fast(thread, row, action);
    swi_counting_begin(thread, action, now);
    swi_frame_begin(thread, frame, row, now ? now : swi_clock_tick(&sw->measured.clock));
}

void swi_begin_counting(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    begin_read(sw, thread, action, 0);
}

static SWI_INLINE void end_read(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                int64_t now)
{
    if (SWI_LIKELY(swi_is_plain(thread, action) &&
                   swi_ends_fast(thread, now - thread->frame->start)))
        swi_region_end_apart(sw, thread, -1, now);
    else
        swi_end_at(sw, thread, action, now);
}

void swi_end_counting(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    end_read(sw, thread, action, swi_clock_tick(&sw->measured.clock));
}

/* The reading that ends the sibling also begins the next region. Counters for steps alone are read
 * for a draw, but not where its sibling ended. */
void swi_next_counting(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    int64_t now = swi_clock_tick(&sw->measured.clock);
    bool sibling = swi_has_sibling(thread);
    if (sibling)
        end_read(sw, thread, thread->frame->action, now);
    if (!sibling || action == SW_DRAW)
        swi_counting_read(thread, action, SWI_READ_AT_BEGIN);
    begin_read(sw, thread, action, now);
}

/* ---- the same where all counters are words of memory ----------------------------------------- */

void swi_begin_words(struct sw_profiler *sw, int action, struct swi_thread *thread)
{
    struct swi_row *row = swi_fast_row(thread, action);
    if (SWI_UNLIKELY(!row)) {
        swi_begin_slow(sw, thread, action, 0);
        return;
    }
    struct swi_frame *frame = swi_frame_fill_fast(thread, row, action);
    swi_words_begin(thread, frame);
    swi_frame_begin(thread, frame, row, swi_counter());
}

void swi_end_words(struct sw_profiler *sw, int action, struct swi_thread *thread)
{
    struct swi_end_counts counts = {.again = false};
    if (SWI_UNLIKELY(!swi_is_plain(thread, action))) {
        if (!swi_is_ignored(sw, action))
            swi_end_at(sw, thread, action, swi_counter());
        return;
    }
    int64_t now = swi_counter(), ticks = now - thread->frame->start;
    if (SWI_LIKELY(swi_ends_fast(thread, ticks) && swi_words_can_end(thread, &counts)))
        swi_region_move(thread, ticks, true, NULL, &counts);
    else
        swi_end_at(sw, thread, action, now);
}

/* The next region begins with what the last one ended with. */
static SWI_APART void next_words_without(struct sw_profiler *sw, struct swi_thread *thread,
                                         int action, int64_t now)
{
    swi_counting_read(thread, action, SWI_READ_AT_BEGIN);
    begin_read(sw, thread, action, now);
}

/* The innermost region needs the slow way to end, or does not end. */
static SWI_APART void next_words_other(struct sw_profiler *sw, struct swi_thread *thread,
                                       int action, int64_t now)
{
    if (swi_has_sibling(thread))
        swi_end_at(sw, thread, thread->frame->action, now);
    next_words_without(sw, thread, action, now);
}

void swi_next_words(struct sw_profiler *sw, int action, struct swi_thread *thread)
{
    struct swi_end_counts counts = {.again = true};
    if (SWI_UNLIKELY(!swi_is_plain(thread, thread->frame->action))) {
        if (!swi_is_ignored(sw, action) || swi_has_sibling(thread))
            next_words_other(sw, thread, action, swi_counter());
        return;
    }
    int64_t now = swi_counter(), ticks = now - thread->frame->start;
    if (SWI_UNLIKELY(!swi_ends_fast(thread, ticks) || !swi_words_can_end(thread, &counts))) {
        next_words_other(sw, thread, action, now);
        return;
    }
    swi_region_move(thread, ticks, true, NULL, &counts);
    struct swi_row *row = swi_fast_row(thread, action);
    if (SWI_UNLIKELY(!row)) {
        swi_words_begin_otherwise(&counts);
        next_words_without(sw, thread, action, now);
        return;
    }
    swi_frame_begin(thread, swi_frame_fill_fast(thread, row, action), row, now);
}
