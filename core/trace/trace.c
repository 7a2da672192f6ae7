/* SPDX-License-Identifier: MIT */
#include "core/trace/trace.h"
#include "core/process/own_thread.h"

#include <stdlib.h>
#include <time.h>

/* ---- all of them ----------------------------------------------------------------------------- */

void swi_traces_init(struct swi_traces *traces)
{
    atomic_init(&traces->first, NULL);
    swi_chunks_init(&traces->pool);
}

static struct swi_trace_chunk *oldest_of(const struct swi_trace *trace)
{
    return trace->oldest ? trace->oldest
                         : atomic_load_explicit(&trace->first, memory_order_acquire);
}

static void trace_free(struct swi_trace *trace)
{
    for (struct swi_trace_chunk *chunk = oldest_of(trace), *next; chunk; chunk = next) {
        next = atomic_load(&chunk->next);
        swi_trace_chunk_unref(chunk);
    }
    free(trace);
}

void swi_traces_fini(struct swi_traces *traces)
{
    for (struct swi_trace *trace = atomic_load(&traces->first), *next; trace; trace = next) {
        next = trace->next;
        trace_free(trace);
    }
    swi_chunks_fini(&traces->pool);
}

struct swi_trace *swi_trace_new(struct swi_traces *traces)
{
    struct swi_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->next = atomic_load(&traces->first);
    while (!atomic_compare_exchange_weak(&traces->first, &trace->next, trace))
        continue;
    return trace;
}

/* ---- the thread's own ------------------------------------------------------------------------ */

/* Links a new chunk after the last one, before anything in it is published. */
bool swi_trace_grow(struct swi_traces *traces, struct swi_trace *trace)
{
    struct swi_trace_chunk *chunk = swi_trace_chunk_new(&traces->pool);
    if (!chunk) {
        atomic_fetch_add_explicit(&trace->lost, 1, memory_order_relaxed);
        return false;
    }
    chunk->first = atomic_load_explicit(&trace->published, memory_order_relaxed);
    if (trace->chunk)
        atomic_store_explicit(&trace->chunk->next, chunk, memory_order_release);
    else
        atomic_store_explicit(&trace->first, chunk, memory_order_release);
    trace->chunk = chunk;
    trace->origin = (uintptr_t)chunk->event - chunk->first * sizeof *chunk->event;
    trace->limit = chunk->first + SWI_TRACE_CHUNK_EVENTS;
    return true;
}

/* ---- of others ------------------------------------------------------------------------------- */

static int64_t lost_take(struct swi_trace *trace)
{
    int64_t lost = atomic_load_explicit(&trace->lost, memory_order_relaxed) - trace->lost_told;
    trace->lost_told += lost;
    return lost;
}

static int64_t last_tick(const struct swi_slice *slice)
{
    const struct swi_trace_event *last = &slice->chunk->event[slice->to - 1];
    while (swi_traced_is_part(last->what))
        last--;
    return last->tick;
}

/* Leaves chunks that were taken completely. The chunk to which the thread appends has no next one,
 * so it stays. */
static void chunks_leave(struct swi_trace *trace)
{
    struct swi_trace_chunk *chunk = trace->oldest = oldest_of(trace), *next;
    while (chunk && (next = atomic_load_explicit(&chunk->next, memory_order_acquire)) &&
           trace->taken == next->first) {
        swi_trace_chunk_unref(chunk);
        chunk = trace->oldest = next;
    }
}

/* Returns the end of a chunk. It is known only when the next chunk is linked. Until then the chunk
 * has all events. */
static uint64_t chunk_end(struct swi_trace_chunk *chunk, uint64_t upto)
{
    const struct swi_trace_chunk *next = atomic_load_explicit(&chunk->next, memory_order_acquire);
    return next && next->first < upto ? next->first : upto;
}

bool swi_trace_take(struct swi_trace *trace, uint64_t upto, struct swi_slice *slice)
{
    chunks_leave(trace);
    *slice = (struct swi_slice){.lost = lost_take(trace), .tick = trace->last_tick};
    if (trace->taken >= upto)
        return slice->lost > 0;
    struct swi_trace_chunk *chunk = slice->chunk = trace->oldest;
    uint64_t to = chunk_end(chunk, upto);
    slice->from = (uint32_t)(trace->taken - chunk->first);
    slice->to = (uint32_t)(to - chunk->first);
    slice->tick = trace->last_tick = last_tick(slice);
    swi_trace_chunk_ref(chunk);
    trace->taken = to;
    return true;
}
