/* SPDX-License-Identifier: MIT */
/* counting.h - what the regions of a thread use of its counters, by what the thread read of them
 * (counter_reading.h). All but opening is done under the fold lock. */
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

/* Before an event of the thread: it counts if the profiler has counters. Returns whether it does.
 */
bool swi_counting_look(struct sw_profiler *sw, struct swi_thread *thread);
/* The first region of a fit begins with what was read now. */
void swi_counting_first(struct swi_thread *thread);

/* Takes what the thread read: a part of an event. */
void swi_counting_take(struct swi_thread *thread, int64_t value, uint64_t what);

/* Adds to a counter, in steps that are seen by swi_counter_use_look(). */
void swi_counting_add(struct sw_profiler *sw, struct swi_thread *thread, int slot, int64_t n);
/* Adds to an own counter of the program. */
void swi_counting_count(struct sw_profiler *sw, struct swi_thread *thread, int counter, int64_t n);

/* Before a fit comes into the stack: below all that is open, as of the thread's first call; or
 * above it, from now on. */
void swi_counting_insert(struct swi_thread *thread, bool below);

/* What is inside of the thread as a whole begins anew. */
static inline void swi_bottom_clear(struct swi_thread *thread)
{
    struct swi_counting *counting = thread->counting;
    thread->stack->inside = 0;
    for (int b = 0; counting && b < counting->banks; b++)
        for (int i = 0; i < SWI_BANK; i++)
            counting->bank[b].frame->inside[i] = 0;
}

#endif
