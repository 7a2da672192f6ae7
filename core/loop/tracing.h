/* SPDX-License-Identifier: MIT */
/* tracing.h - appends regions to the trace of their thread if a sink wants each region, and hands
 * the traces over to the sinks. Under the fold lock. */
#ifndef CORE_LOOP_TRACING_H
#define CORE_LOOP_TRACING_H

#include "core/loop/state.h"

_Static_assert((int)SWI_TRACED_PHASE == (int)SWI_STAGE_PHASE &&
                   (int)SWI_TRACED_THREAD == (int)SWI_STAGE_THREAD,
               "an event has the place of its thread");

/* What the end of a batch has besides; -1: nothing. */
struct swi_traced_batch {
    int64_t samples;
    int64_t step; /* its number, if it does not follow the one before */
};

/* Appends an event and its parts to the thread's trace. */
void swi_trace_parts(struct sw_profiler *sw, struct swi_thread *thread, enum sw_region_event event,
                     int action, int64_t tick, const struct swi_traced_batch *batch);

/* Appends an event to the thread's trace, with how much its counters have gone up. batch: NULL
 * elsewhere. */
static inline void swi_trace(struct sw_profiler *sw, struct swi_thread *thread,
                             enum sw_region_event event, int action, int64_t tick,
                             const struct swi_traced_batch *batch)
{
    struct swi_trace *trace = thread->trace;
    if (SWI_UNLIKELY(thread->counting || batch || !swi_trace_has_room(trace, 1))) {
        swi_trace_parts(sw, thread, event, action, tick, batch);
        return;
    }
    uint64_t count = swi_trace_count(trace);
    swi_trace_put(trace, count, tick, swi_traced_what(event, action, thread->place));
    swi_trace_publish(trace, count + 1);
}

/* Starts or stops the tracing of all threads, as the open window and the sinks want it. Regions
 * that are open when a window begins start with it. */
void swi_tracing_look(struct sw_profiler *sw);
/* The same for one. */
void swi_tracing_thread(struct sw_profiler *sw, struct swi_thread *thread);

/* Hands over the traces of all threads as records, the loop's last. */
void swi_regions_hand_over(struct sw_profiler *sw);

#endif
