/* SPDX-License-Identifier: MIT */
#include "core/loop/tracing.h"

/* ---- handing over -------------------------------------------------------------------------------
 */

static void slice_release(struct swi_record *record)
{
    if (record->slice->chunk)
        swi_chunk_unref(record->slice->chunk);
}

/* Takes the reference of the slice. What a thread appended after the end of a window, before it
 * looked, is in none. No clock is read: one that a program set is called by the
 * threads that measure alone. */
static void slice_push(struct sw_profiler *sw, struct swi_slice slice)
{
    bool inside = sw->recording.since <= sw->recording.until;
    struct swi_record *record =
        inside ? swi_emit_new(&sw->records, SW_RECORD_REGIONS, SWI_POOL_FEW, slice.tick) : NULL;
    if (!record) {
        if (slice.chunk)
            swi_chunk_unref(slice.chunk);
        return;
    }
    struct swi_slice *kept = (void *)record->metric;
    _Static_assert(sizeof *kept <= SWI_POOL_FEW * sizeof(struct sw_metric), "no room for a slice");
    *kept = slice;
    kept->since = sw->recording.since;
    kept->until = sw->recording.until;
    kept->clock = &sw->measured.clock;
    kept->action_name = sw_action_name;
    record->slice = kept;
    record->bytes += (slice.to - slice.from) * sizeof(struct swi_event);
    record->release = slice_release;
    swi_pipeline_push(sw->records.pipeline, record);
}

static void trace_hand_over(struct sw_profiler *sw, struct swi_trace *trace, uint64_t upto)
{
    struct swi_slice slice;
    while (swi_trace_take(trace, upto, &slice))
        slice_push(sw, slice);
}

/* own: comes last, whole; NULL: none. reported: of the others only what a report has seen. */
static void hand_over(struct sw_profiler *sw, struct swi_trace *own, bool reported)
{
    struct swi_trace *trace = atomic_load_explicit(&sw->traces.first, memory_order_acquire);
    for (; trace; trace = trace->next)
        if (trace != own)
            trace_hand_over(sw, trace, reported ? trace->cut : swi_trace_published(trace));
    if (own)
        trace_hand_over(sw, own, swi_trace_published(own));
}

void swi_regions_hand_over(struct sw_profiler *sw)
{
    struct swi_thread *loop = atomic_load(&sw->measured.loop);
    hand_over(sw, loop ? atomic_load(&loop->trace) : NULL, false);
}

void swi_regions_hand_over_reported(struct sw_profiler *sw, struct swi_thread *own)
{
    hand_over(sw, own ? atomic_load(&own->trace) : NULL, true);
}

void swi_regions_fetch(void *profiler)
{
    struct sw_profiler *sw = profiler;
    if (!swi_traces_trylock(&sw->traces))
        return;
    swi_regions_hand_over(sw);
    swi_traces_unlock(&sw->traces);
}

/* ---- appending ----------------------------------------------------------------------------------
 */

/* Handing over may wake a sink, which the loop's thread leaves to the workers until there is much.
 * Where sinks are too slow for all of that memory, events are lost, and counted. */
bool swi_trace_room(struct sw_profiler *sw, struct swi_trace *trace)
{
    SWI_PIECE(&sw->measured);
    if (swi_chunks_many(&sw->traces.pool))
        swi_regions_fetch(sw);
    return swi_trace_grow(&sw->traces, trace);
}

void swi_trace_set(struct sw_profiler *sw, struct swi_thread *thread, bool tracing)
{
    if (thread->tracing == tracing)
        return;
    struct swi_trace *trace = SWI_GET(thread->trace);
    if (tracing && !trace && !(trace = swi_trace_new(&sw->traces))) {
        swi_no_memory(&sw->records, "regions");
        return;
    }
    atomic_store(&thread->trace, trace);
    thread->tracing = tracing;
    swi_thread_phase(thread, thread->phase);
}
