/* SPDX-License-Identifier: MIT */
/* region_traced.h - begin, next and end where the fast way is closed: perhaps because a sink wants
 * every region, which needs little more; else the slow way is left. */
#ifndef CORE_LOOP_REGION_TRACED_H
#define CORE_LOOP_REGION_TRACED_H

#include "core/loop/state.h"

/* Begins an action that has no entry in `fast`, where the processor's counter is the clock. */
void swi_begin_without_entry(struct sw_profiler *sw, struct swi_thread *thread, int action);

/* Begins an action that has no entry after a region that ended `now`. */
void swi_begin_without_entry_at(struct sw_profiler *sw, struct swi_thread *thread, int action,
                                int64_t now);

/* Begins any action. now: when the region before it ended; 0: reads the clock, as the last step. */
void swi_begin_at(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

/* Ends the innermost region of an action. */
void swi_end_at(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

/* Ends the innermost region, unless that does not end by itself, and begins an action. */
void swi_next_at(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

/* A sink wants every region, or the innermost region needs the slow way to end, or does not end. */
void swi_next_not_plain(struct sw_profiler *sw, struct swi_thread *thread, int action);

#endif
