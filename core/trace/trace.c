/* SPDX-License-Identifier: MIT */
#include "core/trace/trace.h"
#include "core/clock/clock.h"
#include "core/rows/action.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns a chunk with one reference; NULL if out of memory, or if too many are in use. */
static struct swi_trace_chunk *trace_chunk_new(struct swi_traces *traces)
{
    bool many = atomic_load(&traces->used) >= SWI_CHUNKS_MAX;
    struct swi_trace_chunk *chunk = many ? NULL : malloc(sizeof *chunk);
    if (!chunk)
        return NULL;
    atomic_fetch_add(&traces->used, 1);
    atomic_init(&chunk->references, 1);
    chunk->used = &traces->used;
    chunk->next = NULL;
    chunk->count = 0;
    return chunk;
}

void swi_trace_chunk_unref(struct swi_trace_chunk *chunk)
{
    if (atomic_fetch_sub_explicit(&chunk->references, 1, memory_order_acq_rel) > 1)
        return;
    atomic_fetch_sub(chunk->used, 1);
    free(chunk);
}

/* ---- events of one thread as a record holds them --------------------------------------------- */

/* Returns where the last time of a thread is stored, or NULL if out of memory. */
static int64_t *last_of(struct swi_regions *regions, int thread)
{
    if (thread >= regions->threads) {
        int threads = 2 * thread + 8;
        int64_t *last = realloc(regions->last_ns, (size_t)threads * sizeof *last);
        if (!last)
            return NULL;
        memset(last + regions->threads, 0, (size_t)(threads - regions->threads) * sizeof *last);
        regions->last_ns = last;
        regions->threads = threads;
    }
    return &regions->last_ns[thread];
}

static int64_t time_of(struct swi_regions *regions, int thread, int64_t ns)
{
    int64_t *last = last_of(regions, thread);
    if (!last)
        return ns;
    return *last = ns > *last ? ns : *last;
}

_Static_assert(offsetof(struct sw_region, step) + sizeof(int64_t) == sizeof(struct sw_region),
               "region_fill() fills every field: the items are used again");

/* Fills the fields where they are: a struct that is returned is made elsewhere and copied in blocks
 * of two fields, for which the processor has to wait. */
static void region_fill(struct sw_region *region, struct swi_regions *regions,
                        const struct swi_slice *slice, const struct swi_trace_event *event)
{
    int action = (int)(event->what >> SWI_TRACED_ACTION & 0xffffff);
    int thread = (int)(event->what >> SWI_TRACED_THREAD);
    bool shaped = action >= SWI_SHAPED_FIRST;
    region->time_ns = time_of(regions, thread, swi_clock_ns(slice->clock, event->tick));
    region->event = (enum sw_region_event)(event->what & 15);
    region->phase = (enum sw_phase)(event->what >> SWI_TRACED_PHASE & 15);
    region->action = sw_action_name(action);
    region->action_id = shaped ? swi_shaped_base(action) : action;
    region->thread = thread;
    region->samples = region->step = -1;
    region->use_count = region->use_stride = 0;
    region->use = NULL;
    region->shape = shaped ? sw_action_shape(action) : "";
}

/* Those of one region are one after the other. */
static void use_add(struct sw_region *region, struct sw_counter_use *use,
                    const struct swi_slice *slice, const struct swi_trace_event *event)
{
    int slot = (int)(event->what >> SWI_TRACED_ACTION & 0xffffff);
    *use = (struct sw_counter_use){&slice->counter[slot], event->tick, SW_COUNTER_NONE};
    region->use_stride = sizeof *use;
    if (!region->use_count++)
        region->use = use;
}

size_t swi_regions_make(struct swi_regions *regions, const struct swi_slice *slice)
{
    size_t count = 0, uses = 0;
    bool inside = false;
    for (uint32_t i = slice->from; i < slice->to; i++) {
        const struct swi_trace_event *event = &slice->chunk->event[i];
        bool part = swi_traced_is_part(event->what);
        inside = part ? inside : event->tick >= slice->since && event->tick <= slice->until;
        if (inside && event->what == SWI_TRACED_SAMPLES)
            regions->item[count - 1].samples = event->tick;
        else if (inside && event->what == SWI_TRACED_STEP)
            regions->item[count - 1].step = event->tick;
        else if (part && inside)
            use_add(&regions->item[count - 1], &regions->use[uses++], slice, event);
        else if (inside)
            region_fill(&regions->item[count++], regions, slice, event);
    }
    return count;
}

void swi_regions_free(struct swi_regions *regions)
{
    if (regions)
        free(regions->last_ns);
    free(regions);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void trace_free(struct swi_trace *trace)
{
    for (struct swi_trace_chunk *chunk = trace->first, *next; chunk; chunk = next) {
        next = chunk->next;
        swi_trace_chunk_unref(chunk);
    }
    free(trace);
}

void swi_traces_fini(struct swi_traces *traces)
{
    for (struct swi_trace *trace = traces->first, *next; trace; trace = next) {
        next = trace->next;
        trace_free(trace);
    }
}

struct swi_trace *swi_trace_new(struct swi_traces *traces)
{
    struct swi_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->next = traces->first;
    traces->first = trace;
    return trace;
}

/* ---- appending and taking -------------------------------------------------------------------- */

bool swi_trace_grow(struct swi_traces *traces, struct swi_trace *trace)
{
    struct swi_trace_chunk *chunk = trace_chunk_new(traces);
    if (!chunk) {
        trace->lost++;
        return false;
    }
    if (trace->last)
        trace->last->next = chunk;
    else
        trace->first = chunk;
    trace->last = chunk;
    return true;
}

static int64_t last_tick(const struct swi_slice *slice)
{
    const struct swi_trace_event *last = &slice->chunk->event[slice->to - 1];
    while (swi_traced_is_part(last->what))
        last--;
    return last->tick;
}

/* Leaves chunks that were taken completely. The one to which events are appended stays. */
static void chunks_leave(struct swi_trace *trace)
{
    struct swi_trace_chunk *chunk;
    while ((chunk = trace->first) && chunk->next && trace->taken == chunk->count) {
        trace->first = chunk->next;
        trace->taken = 0;
        swi_trace_chunk_unref(chunk);
    }
}

bool swi_trace_take(struct swi_trace *trace, struct swi_slice *slice)
{
    chunks_leave(trace);
    *slice = (struct swi_slice){.lost = trace->lost, .tick = trace->last_tick};
    trace->lost = 0;
    struct swi_trace_chunk *chunk = trace->first;
    if (!chunk || trace->taken == chunk->count)
        return slice->lost > 0;
    slice->chunk = chunk;
    slice->from = trace->taken;
    slice->to = trace->taken = chunk->count;
    slice->tick = trace->last_tick = last_tick(slice);
    atomic_fetch_add_explicit(&chunk->references, 1, memory_order_relaxed);
    return true;
}
