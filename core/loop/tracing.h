/* SPDX-License-Identifier: MIT */
/* tracing.h - what the loop's calls append to the trace of their thread, where a sink wants every
 * region, and handing it over to the sinks. */
#ifndef CORE_LOOP_TRACING_H
#define CORE_LOOP_TRACING_H

#include "core/loop/state.h"

/* In place of `plain` where a sink wants every region: the end needs no closer look, but is traced.
 */
static inline int swi_plain_traced(int action)
{
    return -2 - action;
}

/* Makes room in the thread's trace; false where there is none. */
bool swi_trace_room(struct sw_profiler *sw, struct swi_trace *trace);

/* The calling thread's: appends an event. samples: at the end of a batch; else -1. */
static inline void swi_trace(struct sw_profiler *sw, struct swi_thread *thread,
                             enum sw_region_event event, int action, int64_t tick, int64_t samples)
{
    struct swi_trace *trace = SWI_GET(thread->trace);
    if (SWI_UNLIKELY(!swi_trace_has_room(trace)) && !swi_trace_room(sw, trace))
        return;
    swi_trace_put(trace, tick, swi_event_what(event, thread->phase, action, thread->number));
    if (samples >= 0)
        swi_trace_put(trace, samples, SWI_EVENT_SAMPLES);
    swi_trace_publish(trace, samples >= 0 ? 2 : 1);
}

/* The same for a region without samples, where swi_trace_has_room(). */
static inline void swi_trace_region(struct swi_thread *thread, enum sw_region_event event,
                                    int action, int64_t tick)
{
    struct swi_trace *trace = SWI_GET(thread->trace);
    swi_trace_put(trace, tick, swi_event_what(event, thread->phase, action, thread->number));
    swi_trace_publish(trace, 1);
}

/* The calling thread's: begins are events from now on, or no longer. Where the thread has no trace
 * yet, under the profiler's lock. */
void swi_trace_set(struct sw_profiler *sw, struct swi_thread *thread, bool tracing);

/* Hands over what all threads have traced, as records; the loop's comes last. With the lock of the
 * traces: nothing overtakes what its holder pushes next. */
void swi_regions_hand_over(struct sw_profiler *sw);
/* The same, but of other threads than `own` only what the report has seen. */
void swi_regions_hand_over_reported(struct sw_profiler *sw, struct swi_thread *own);
/* Takes the lock and hands over, as workers do it: where somebody else has the lock it does
 * nothing. sw: a struct sw_profiler. */
void swi_regions_fetch(void *sw);

#endif
