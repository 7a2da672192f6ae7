/* SPDX-License-Identifier: MIT */
#include "core/loop/recording_windows.h"
#include "core/rows/action.h"

/* ---- handing over ---------------------------------------------------------------------------- */

static void chunk_release(void *chunk)
{
    swi_trace_chunk_unref(chunk);
}

/* Takes over the reference of the slice. What a thread appended after the end of a window, before
 * it looked, belongs to no window. Reads no clock, because a clock that the program set is called
 * only by threads that measure. */
static void slice_push(struct sw_profiler *sw, struct swi_slice slice)
{
    bool inside = sw->recording.since <= sw->recording.until;
    struct swi_record *record =
        inside ? swi_recorder_make(&sw->records, SW_RECORD_REGIONS, SWI_POOL_FEW, slice.tick)
               : NULL;
    if (!record) {
        if (slice.chunk)
            swi_trace_chunk_unref(slice.chunk);
        return;
    }
    struct swi_slice *copy = (void *)record->metric;
    _Static_assert(sizeof *copy <= SWI_POOL_FEW * sizeof(struct sw_metric), "no room for a slice");
    *copy = slice;
    copy->since = sw->recording.since;
    copy->until = sw->recording.until;
    copy->clock = &sw->measured.clock;
    copy->counter = sw->measured.counters.info;
    record->slice = copy;
    record->bytes += (slice.to - slice.from) * sizeof(struct swi_trace_event);
    record->owned = slice.chunk;
    record->release = slice.chunk ? chunk_release : NULL;
    swi_pipeline_push(sw->records.pipeline, record);
}

static void trace_hand_over(struct sw_profiler *sw, struct swi_trace *trace)
{
    struct swi_slice slice;
    while (swi_trace_take(trace, &slice))
        slice_push(sw, slice);
}

void swi_regions_hand_over(struct sw_profiler *sw)
{
    const struct swi_thread *loop = atomic_load(&sw->measured.loop);
    struct swi_trace *own = loop ? loop->trace : NULL;
    for (struct swi_trace *trace = sw->traces.first; trace; trace = trace->next)
        if (trace != own)
            trace_hand_over(sw, trace);
    if (own)
        trace_hand_over(sw, own);
}

/* ---- appending ------------------------------------------------------------------------------- */

/* Makes room in the thread's trace. Returns false if out of memory. If the sinks are too slow,
 * events are lost and counted. */
static bool trace_room(struct sw_profiler *sw, struct swi_trace *trace)
{
    if (atomic_load(&sw->traces.used) > SWI_CHUNKS_MANY)
        swi_regions_hand_over(sw);
    return swi_trace_grow(&sw->traces, trace);
}

/* Appends the counters as events. What was counted in a region that is cancelled belongs to the
 * region around it: the next event has it. */
static void counts_put(struct swi_thread *thread, enum sw_region_event event)
{
    struct swi_counting *counting = thread->counting;
    for (int i = 0; counting && event <= SW_REGION_END && i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        if (slot->is_peak && event != SW_REGION_END)
            continue;
        int64_t value =
            slot->is_peak ? slot->ended_peak : swi_counter_use_increase(counting, i, &slot->traced);
        if (value || slot->is_peak)
            swi_trace_put(thread->trace, value, swi_traced_counter(i));
    }
}

/* An event and its parts must be in the same chunk. */
static bool has_room(const struct swi_thread *thread)
{
    unsigned counters = thread->counting ? (unsigned)thread->counting->active : 0;
    return swi_trace_has_room(thread->trace, 3 + counters);
}

void swi_trace(struct sw_profiler *sw, struct swi_thread *thread, enum sw_region_event event,
               int action, int64_t tick, const struct swi_traced_batch *batch)
{
    struct swi_trace *trace = thread->trace;
    if (!has_room(thread) && !trace_room(sw, trace))
        return;
    swi_trace_put(trace, tick, swi_traced_what(event, action, thread->place));
    if (batch && batch->samples >= 0)
        swi_trace_put(trace, batch->samples, SWI_TRACED_SAMPLES);
    if (batch && batch->step >= 0)
        swi_trace_put(trace, batch->step, SWI_TRACED_STEP);
    counts_put(thread, event);
}

/* ---- which threads --------------------------------------------------------------------------- */

static void tracing_set(struct sw_profiler *sw, struct swi_thread *thread, bool tracing)
{
    if (tracing && !thread->trace && !(thread->trace = swi_trace_new(&sw->traces))) {
        swi_no_memory(&sw->records, "regions");
        return;
    }
    thread->tracing = tracing;
}

static void frames_trace(struct sw_profiler *sw, struct swi_thread *thread)
{
    int64_t since = sw->recording.since;
    for (const struct swi_frame *frame = thread->stack + 1; frame <= thread->frame; frame++)
        swi_trace(sw, thread, SW_REGION_BEGIN, frame->action,
                  frame->start > since ? frame->start : since, NULL);
}

void swi_tracing_thread(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool open = atomic_load(&sw->recording.open);
    tracing_set(sw, thread, open && swi_wants(&sw->records, SW_RECORD_REGIONS));
    if (!open || thread->window == sw->recording.window.number)
        return;
    thread->window = sw->recording.window.number;
    if (thread->tracing)
        frames_trace(sw, thread);
}

void swi_tracing_look(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread; thread = thread->list)
        if (thread->number != SWI_SPANS_THREAD)
            swi_tracing_thread(sw, thread);
}
