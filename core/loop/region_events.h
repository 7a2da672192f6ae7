/* SPDX-License-Identifier: MIT */
/* region_events.h - notes a begin, next, end or cancel of any action, with what may go with it: the
 * loop's thread, its fit, counters, probes, recording windows. The calls of region.c do the usual
 * ones themselves. */
#ifndef CORE_LOOP_REGION_EVENTS_H
#define CORE_LOOP_REGION_EVENTS_H

#include "core/loop/state.h"

/* Returns whether the thread has to see that both clocks are compared. */
static inline bool swi_clocks_due(const struct swi_thread *thread, int64_t now)
{
    return (uint64_t)now - (uint64_t)thread->clocks_compared > (uint64_t)thread->clocks_span;
}

/* Those with a tick were called then; the others read the clock, as late or early as they can. */
void swi_note_begin(struct sw_profiler *sw, struct swi_thread *thread, int action);
void swi_note_next(struct sw_profiler *sw, struct swi_thread *thread, int action);
void swi_note_end(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);
void swi_note_batch_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                        int64_t now);
/* The innermost region of an action does not count, what ended inside it does. */
void swi_note_cancel(struct sw_profiler *sw, struct swi_thread *thread, int action);

#endif
