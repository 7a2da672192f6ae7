/* SPDX-License-Identifier: MIT */
/* tracing.h - appends regions to the trace of their thread if a sink wants each region, and hands
 * the traces over to the sinks. */
#ifndef CORE_LOOP_TRACING_H
#define CORE_LOOP_TRACING_H

#include "core/loop/state.h"

_Static_assert((int)SWI_EVENT_PHASE == (int)SWI_PLACE_PHASE &&
                   (int)SWI_EVENT_THREAD == (int)SWI_PLACE_THREAD,
               "an event has the place of its thread");

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
    if (SWI_UNLIKELY(!swi_trace_has_room(trace, 2)) && !swi_trace_room(sw, trace))
        return;
    uint64_t count = swi_trace_count(trace);
    swi_trace_put(trace, count++, tick, swi_event_what(event, action, thread->place));
    if (samples >= 0)
        swi_trace_put(trace, count++, samples, SWI_EVENT_SAMPLES);
    swi_trace_publish(trace, count);
}

/* Does the same for a region without samples, if swi_trace_has_room(trace, 1). Reads the count of
 * events again: with one more value to keep, the caller would have to save registers. */
static inline void swi_trace_region(struct swi_thread *thread, enum sw_region_event event,
                                    int action, int64_t tick)
{
    struct swi_trace *trace = SWI_GET(thread->trace);
    uint64_t count = swi_trace_count(trace);
    swi_trace_put(trace, count, tick, swi_event_what(event, action, thread->place));
    swi_trace_publish(trace, count + 1);
}

/* Starts or stops the tracing of the calling thread. If the thread has no trace yet, the caller
 * holds the profiler's lock. */
void swi_trace_set(struct sw_profiler *sw, struct swi_thread *thread, bool tracing);

/* Hands over the traces of all threads as records, the loop's last. The caller holds the lock of
 * the traces, so that the record it pushes next comes after them. */
void swi_regions_hand_over(struct sw_profiler *sw);
/* Does the same, but takes from threads other than `own` only what the report has seen. */
void swi_regions_hand_over_reported(struct sw_profiler *sw, struct swi_thread *own);
/* Takes the lock and hands over. If another thread holds the lock, it does nothing. */
void swi_regions_fetch(struct sw_profiler *sw);

#endif
