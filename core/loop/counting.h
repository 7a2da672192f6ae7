/* SPDX-License-Identifier: MIT */
/* counting.h - reads the counters of the calling thread where a region begins or ends. Counters are
 * read outside of the time: begin reads them first and the clock last, end the clock first. So a
 * region's use of the CPU's time is wider than its duration by one reading, which is taken off.
 *
 * Threads that do not count pay nothing, for a thread that counts never has its profiler's serial
 * in swi_current.counted. If all that it reads are words of memory, it has the negative serial
 * there, and its calls read them in a straight line (core/loop/counted_words.h). Else it has 0,
 * like one whose calls are timed.
 */
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

/* The calling thread was found: turns its counters on, at its first call. */
void swi_counting_look(struct sw_profiler *sw, struct swi_thread *thread);

/* The calling thread counts from now on. NULL if out of memory. */
struct swi_counting *swi_counting_turn_on(struct sw_profiler *sw, struct swi_thread *thread);

/* Reads what a region of this action has. The CPU's time, which counts what readings take, is read
 * next to the clock: at a begin after the other counters, at an end before them. */
enum swi_yaml_reader { SWI_READ_AT_BEGIN, SWI_READ_AT_END };
void swi_counting_read(struct swi_thread *thread, int action, enum swi_yaml_reader reading);

/* now: when the previous region ended, with the values with which this one begins; 0: none ended.
 */
static inline void swi_counting_begin(struct swi_thread *thread, int action, int64_t now)
{
    if (!now)
        swi_counting_read(thread, action, SWI_READ_AT_BEGIN);
    swi_counter_use_begin(SWI_GET(thread->counting), swi_depth(thread) + 1, action);
}

/* Adds to an own counter of the calling thread, in steps that are seen by swi_counter_use_look().
 */
void swi_counting_add(struct sw_profiler *sw, struct swi_thread *thread, int slot, int64_t n);

/* Makes the values that were read last the current ones, after regions that kept their own. */
void swi_counting_catch_up(const struct swi_thread *thread);

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

#endif
