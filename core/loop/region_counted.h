/* SPDX-License-Identifier: MIT */
/* region_counted.h - begin, next and end of a thread that counts (core/loop/counting.h). */
#ifndef CORE_LOOP_REGION_COUNTED_H
#define CORE_LOOP_REGION_COUNTED_H

#include "core/loop/state.h"

/* Whatever its counters are. */
void swi_begin_counting(struct sw_profiler *sw, struct swi_thread *thread, int action);
void swi_next_counting(struct sw_profiler *sw, struct swi_thread *thread, int action);
void swi_end_counting(struct sw_profiler *sw, struct swi_thread *thread, int action);

/* All its counters are words of memory, and the processor's counter is the clock. The arguments are
 * in the order of the public calls, which jump here. */
void swi_begin_words(struct sw_profiler *sw, int action, struct swi_thread *thread);
void swi_next_words(struct sw_profiler *sw, int action, struct swi_thread *thread);
void swi_end_words(struct sw_profiler *sw, int action, struct swi_thread *thread);

#endif
