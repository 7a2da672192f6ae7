/* SPDX-License-Identifier: MIT */
#include "core/trace/trace.h"
#include "core/clock/clock.h"
#include "core/process/own_thread.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- memory for the begins, ends and cancels of all threads ---------------------------------- */

static void chunks_init(struct swi_chunks *pool)
{
    *pool = (struct swi_chunks){.free = NULL};
    pthread_mutex_init(&pool->lock, NULL);
}

/* Every chunk must have been returned. */
static void chunks_fini(struct swi_chunks *pool)
{
    for (struct swi_trace_chunk *chunk = pool->free, *next; chunk; chunk = next) {
        next = atomic_load(&chunk->next);
        free(chunk);
    }
    pthread_mutex_destroy(&pool->lock);
}

static struct swi_trace_chunk *pool_take(struct swi_chunks *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct swi_trace_chunk *chunk = pool->free;
    if (chunk) {
        pool->free = atomic_load(&chunk->next);
        pool->free_count--;
    }
    pthread_mutex_unlock(&pool->lock);
    return chunk;
}

/* Returns a chunk with one reference; NULL if out of memory, or if too many are in use. */
static struct swi_trace_chunk *trace_chunk_new(struct swi_chunks *pool)
{
    if (atomic_fetch_add(&pool->used, 1) >= SWI_CHUNKS_MAX) {
        atomic_fetch_sub(&pool->used, 1);
        return NULL;
    }
    struct swi_trace_chunk *chunk = pool_take(pool);
    if (!chunk && !(chunk = malloc(sizeof *chunk))) {
        atomic_fetch_sub(&pool->used, 1);
        return NULL;
    }
    chunk->pool = pool;
    atomic_init(&chunk->references, 1);
    atomic_init(&chunk->next, NULL);
    return chunk;
}

static bool has_free(struct swi_chunks *pool, int count)
{
    pthread_mutex_lock(&pool->lock);
    bool has = pool->free_count >= count;
    pthread_mutex_unlock(&pool->lock);
    return has;
}

/* Returns false, and leaves the chunk to the caller, if enough are free. */
static bool pool_give(struct swi_chunks *pool, struct swi_trace_chunk *chunk)
{
    pthread_mutex_lock(&pool->lock);
    bool room = pool->free_count < SWI_CHUNKS_KEPT;
    if (room) {
        atomic_store(&chunk->next, pool->free);
        pool->free = chunk;
        pool->free_count++;
    }
    pthread_mutex_unlock(&pool->lock);
    return room;
}

void swi_chunks_top_up(struct swi_chunks *pool, int count)
{
    while (!has_free(pool, count)) {
        struct swi_trace_chunk *chunk = malloc(sizeof *chunk);
        if (!chunk)
            return;
        /* The system provides the pages here, and not to the thread that appends. */
        memset(chunk->event, 0, sizeof chunk->event);
        atomic_init(&chunk->next, NULL);
        if (!pool_give(pool, chunk))
            free(chunk);
    }
}

static void trace_chunk_ref(struct swi_trace_chunk *chunk)
{
    atomic_fetch_add_explicit(&chunk->references, 1, memory_order_relaxed);
}

void swi_trace_chunk_unref(struct swi_trace_chunk *chunk)
{
    struct swi_chunks *pool = chunk->pool;
    if (atomic_fetch_sub_explicit(&chunk->references, 1, memory_order_acq_rel) > 1)
        return;
    if (!pool_give(pool, chunk))
        free(chunk);
    atomic_fetch_sub(&pool->used, 1);
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
    bool shaped = action >= slice->actions->shaped_first;
    region->time_ns = time_of(regions, thread, swi_clock_ns(slice->clock, event->tick));
    region->event = (enum sw_region_event)(event->what & 15);
    region->phase = (enum sw_phase)(event->what >> SWI_TRACED_PHASE & 15);
    region->action = slice->actions->name(action);
    region->action_id = shaped ? slice->actions->base(action) : action;
    region->thread = thread;
    region->samples = region->step = -1;
    region->use_count = region->use_stride = 0;
    region->use = NULL;
    region->shape = shaped ? slice->actions->shape(action) : "";
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

void swi_traces_init(struct swi_traces *traces)
{
    atomic_init(&traces->first, NULL);
    chunks_init(&traces->pool);
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
    chunks_fini(&traces->pool);
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
    struct swi_trace_chunk *chunk = trace_chunk_new(&traces->pool);
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
    int64_t lost = atomic_load_explicit(&trace->lost, memory_order_relaxed) - trace->lost_reported;
    trace->lost_reported += lost;
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
    trace_chunk_ref(chunk);
    trace->taken = to;
    return true;
}
