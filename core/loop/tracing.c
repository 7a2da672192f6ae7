/* SPDX-License-Identifier: MIT */
#include "core/loop/tracing.h"
#include "core/rows/shaped_actions.h"

/* ---- handing over ---------------------------------------------------------------------------- */

static void slice_release(struct swi_record *record)
{
    if (record->slice->chunk)
        swi_chunk_unref(record->slice->chunk);
}

static int base_of(int action)
{
    return swi_action_base(action);
}

static const struct swi_slice_actions actions = {sw_action_name, SWI_SHAPED_FIRST, sw_action_shape,
                                                 base_of};

/* Takes over the reference of the slice. What a thread appended after the end of a window, before
 * it looked, belongs to no window. Reads no clock, because a clock that the program set is called
 * only by threads that measure. */
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
    kept->actions = &actions;
    kept->counter = sw->measured.counters.info;
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

/* own: comes last and complete; NULL: none. reported: take only what a report includes from the
 * others. */
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

void swi_regions_fetch(struct sw_profiler *sw)
{
    if (!swi_traces_trylock(&sw->traces))
        return;
    swi_regions_hand_over(sw);
    swi_traces_unlock(&sw->traces);
}

/* ---- appending ------------------------------------------------------------------------------- */

/* Handing over may wake a sink, so the loop's thread leaves it to the workers until there is much.
 * If the sinks are too slow, events are lost and counted. */
bool swi_trace_room(struct sw_profiler *sw, struct swi_trace *trace)
{
    SWI_RARE_WORK(&sw->measured);
    if (swi_chunks_many(&sw->traces.pool))
        swi_regions_fetch(sw);
    return swi_trace_grow(&sw->traces, trace);
}

/* Appends the counters as events. number: of the first. Returns that of the next event. */
static uint64_t counts_put(struct swi_thread *thread, enum sw_region_event event, uint64_t number)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    for (int i = 0; i < counting->active; i++) {
        bool peak = counting->peaks[i / SWI_BANK] >> i % SWI_BANK & 1;
        if (peak && event != SW_REGION_END)
            continue;
        int64_t value = peak ? counting->ended_peak[i]
                             : swi_counter_use_increase(counting, i, counting->traced);
        if (!value && !peak)
            continue;
        swi_trace_put(SWI_GET(thread->trace), number++, value, swi_event_counter(i));
    }
    return number;
}

/* An event, its samples and its counters must be in the same chunk. */
static bool has_room(const struct swi_thread *thread)
{
    const struct swi_trace *trace = SWI_GET(thread->trace);
    return swi_trace_has_room(trace, 2 + (unsigned)SWI_GET(thread->counting)->active);
}

void swi_trace_counted(struct sw_profiler *sw, struct swi_thread *thread,
                       enum sw_region_event event, int action, int64_t tick, int64_t samples)
{
    struct swi_trace *trace = SWI_GET(thread->trace);
    if (!has_room(thread) && !swi_trace_room(sw, trace))
        return;
    uint64_t count = swi_trace_count(trace);
    swi_trace_put(trace, count++, tick, swi_event_what(event, action, thread->place));
    if (samples >= 0)
        swi_trace_put(trace, count++, samples, SWI_EVENT_SAMPLES);
    swi_trace_publish(trace, counts_put(thread, event, count));
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
