/* SPDX-License-Identifier: MIT */
/* tracing.h - appends regions to the trace of their thread if a sink wants each region, and hands
 * the traces over to the sinks. */
#ifndef CORE_LOOP_TRACING_H
#define CORE_LOOP_TRACING_H

#include "core/loop/state.h"

/* The value of `plain` if a sink wants each region: the end takes the fast path, and is traced. */
static inline int swi_plain_traced(int action)
{
    return -2 - action;
}

/* Makes room in the thread's trace. Returns false if out of memory. */
bool swi_trace_room(struct sw_profiler *sw, struct swi_trace *trace);

/* Appends an event of a thread that counts, with how much its counters have gone up. */
void swi_trace_counted(struct sw_profiler *sw, struct swi_thread *thread,
                       enum sw_region_event event, int action, int64_t tick, int64_t samples);

/* Appends an event to the calling thread's trace. samples: at the end of a batch; otherwise -1. */
static inline void swi_trace(struct sw_profiler *sw, struct swi_thread *thread,
                             enum sw_region_event event, int action, int64_t tick, int64_t samples)
{
    struct swi_trace *trace = SWI_GET(thread->trace);
    if (SWI_UNLIKELY(SWI_GET(thread->counting) != NULL)) {
        swi_trace_counted(sw, thread, event, action, tick, samples);
        return;
    }
    if (SWI_UNLIKELY(!swi_trace_has_room(trace)) && !swi_trace_room(sw, trace))
        return;
    swi_trace_put(trace, tick, swi_event_what(event, thread->phase, action, thread->number));
    if (samples >= 0)
        swi_trace_put(trace, samples, SWI_EVENT_SAMPLES);
    swi_trace_publish(trace, samples >= 0 ? 2 : 1);
}

/* Does the same for a region without samples, if swi_trace_has_room(). */
static inline void swi_trace_region(struct swi_thread *thread, enum sw_region_event event,
                                    int action, int64_t tick)
{
    struct swi_trace *trace = SWI_GET(thread->trace);
    swi_trace_put(trace, tick, swi_event_what(event, thread->phase, action, thread->number));
    swi_trace_publish(trace, 1);
}

/* Starts or stops the tracing of the calling thread. If the thread has no trace yet, the caller
 * holds the profiler's lock. */
void swi_trace_set(struct sw_profiler *sw, struct swi_thread *thread, bool tracing);

/* Hands over the traces of all threads as records, the loop's last. The caller holds the lock of
 * the traces, so that the record it pushes next comes after them. */
void swi_regions_hand_over(struct sw_profiler *sw);
/* Does the same, but takes from threads other than `own` only what the report has seen. */
void swi_regions_hand_over_reported(struct sw_profiler *sw, struct swi_thread *own);
/* Takes the lock and hands over. If another thread holds the lock, it does nothing. sw: a struct
 * sw_profiler. */
void swi_regions_fetch(void *sw);

#endif
