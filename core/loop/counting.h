/* SPDX-License-Identifier: MIT */
/* counting.h - reads the counters of the calling thread where a region begins or ends. Counters are
 * read outside of the time: begin reads them first and the clock last, end the clock first. So a
 * region's use of the CPU's time is wider than its duration by one reading, which is taken off.
 *
 * A thread that counts has 0 in swi_current.counted, like one whose calls are timed: other threads
 * pay nothing. */
#ifndef CORE_LOOP_COUNTING_H
#define CORE_LOOP_COUNTING_H

#include "core/counters/counter_choice.h"
#include "core/loop/state.h"

/* The counters of a configuration: makes them ready, and says which this machine lacks. choice:
 * ends with one without a counter; NULL: none. */
void swi_counting_open(struct sw_profiler *sw, const struct swi_counter_choice *choice);

/* Frees what sw_set_counter() has copied. */
void swi_counting_close(struct sw_profiler *sw);

/* What a reading takes has nothing to do with a clock that the program sets. */
void swi_counting_forget_cost(struct sw_profiler *sw);

/* Whether the hot path needs no closer look. */
void swi_counting_plain(struct sw_profiler *sw);

/* The calling thread was found: turns its counters on, at its first call. */
void swi_counting_look(struct sw_profiler *sw, struct swi_thread *thread);

/* The calling thread counts from now on. NULL without memory. */
struct swi_counting *swi_counting_turn_on(struct sw_profiler *sw, struct swi_thread *thread);

/* Reads what a region of this action has. */
void swi_counting_read_slow(struct swi_thread *thread, int action);

void swi_counting_pause(struct swi_thread *thread);
void swi_counting_resume(struct swi_thread *thread);

/* Before a fit comes into the stack: below all that is open, as of the thread's first call; or
 * above it, from now on. */
void swi_counting_insert(struct swi_thread *thread, bool below);

/* What is inside of the thread as a whole begins anew. */
static inline void swi_bottom_clear(struct swi_thread *thread)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    thread->stack->inside = 0;
    for (int b = 0; counting && b < counting->banks; b++)
        for (int i = 0; i < SWI_BANK; i++)
            counting->bank[b].frame->inside[i] = 0;
}

/* Of a thread that counts: reads words that are its own. */
static SWI_INLINE bool swi_counting_is_plain(const struct swi_counting *counting)
{
    return SWI_LIKELY(counting->plain && counting->owner == swi_current.id);
}

static SWI_INLINE void swi_counting_read(struct swi_thread *thread, int action)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (!swi_counting_is_plain(counting)) {
        swi_counting_read_slow(thread, action);
        return;
    }
    for (int i = 0; i < counting->chosen; i++)
        counting->value[i] = *(const volatile int64_t *)counting->word[i];
}

/* The region whose frame comes next begins with what was read. */
static SWI_INLINE void swi_counting_begin(const struct swi_thread *thread, int action)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    int depth = swi_depth(thread) + 1;
    if (!swi_counting_is_plain(counting)) {
        swi_counts_begin(counting, depth, action);
        return;
    }
    struct swi_frame_counts *frame = &counting->bank[0].frame[depth];
    for (int i = 0; i < counting->active; i++) {
        frame->start[i] = counting->value[i];
        frame->inside[i] = 0;
    }
    frame->applies = UINT8_MAX;
    frame->missed = 0;
}

static SWI_INLINE void swi_counting_end_plain(struct swi_counting *counting, int depth,
                                              struct swi_row_counts *row,
                                              struct swi_ended_counts *ended)
{
    struct swi_frame_counts *frame = &counting->bank[0].frame[depth];
    for (int i = 0; i < counting->active; i++) {
        int64_t total = counting->value[i] - frame->start[i], self = total - frame->inside[i];
        frame[-1].inside[i] += total;
        if (row) {
            SWI_ADD(row->total[i], total);
            SWI_ADD(row->self[i], self);
        } else {
            SWI_SET(ended->total[i], total);
            SWI_SET(ended->self[i], self);
        }
    }
}

/* The innermost region, which has just left the stack, ends with what was read. row: gets it at
 * once; NULL: what lies beside `ended` does. */
static SWI_INLINE void swi_counting_end(const struct swi_thread *thread, struct swi_row *row,
                                        const struct swi_ended *ended)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    int depth = swi_depth(thread) + 1;
    uint32_t index = (uint32_t)(ended - SWI_GET(thread->ended));
    struct swi_row_counts *sums = row ? SWI_GET(row->counts) : NULL;
    bool missed = counting->bank[0].frame[depth].missed != 0;
    if (!swi_counting_is_plain(counting) || missed || (row && !sums)) {
        swi_counts_end(counting, depth, row, index);
        return;
    }
    struct swi_ended_counts *list = &SWI_GET(counting->bank[0].ended)[index];
    SWI_SET(list->known, UINT8_MAX);
    SWI_SET(list->missed, 0);
    swi_counting_end_plain(counting, depth, sums, list);
}

#endif
