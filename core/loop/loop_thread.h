/* SPDX-License-Identifier: MIT */
/* loop_thread.h - which thread is the loop's, as of the calls of the threads. What is folded
 * follows (fit.h). */
#ifndef CORE_LOOP_LOOP_THREAD_H
#define CORE_LOOP_LOOP_THREAD_H

#include "core/loop/state.h"

/* The thread begins an action of the loop: makes it the loop's if there is none. */
void swi_loop_begin(struct sw_profiler *sw, struct swi_thread *thread);

/* The loop's thread has ended or cancelled its fit, or begins another one: there is no loop.
 * Returns how many fits have ended. */
uint64_t swi_loop_leave(struct sw_profiler *sw, struct swi_thread *thread);

/* After that end was noted: from here on, another thread may be the loop's, and all look again. */
void swi_loop_left(struct sw_profiler *sw);

#endif
