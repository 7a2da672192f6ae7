/* SPDX-License-Identifier: MIT */
/* slice.h - events of one thread as a record holds them, and the regions that a sink gets from
 * them. */
#ifndef CORE_TRACE_SLICE_H
#define CORE_TRACE_SLICE_H

#include <stepwatch/sink.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Memory for the begins, ends and cancels of all threads: blocks of one size, from a pool with a
 * limit. */
enum {
    SWI_TRACE_CHUNK_EVENTS = 1024,
    SWI_CHUNKS_MAX = 1536, /* 24 MiB: the most that may wait for slow sinks */
    SWI_CHUNKS_MANY = 256, /* from this many on, threads hand over their events themselves */
    SWI_CHUNKS_KEPT = 64   /* the most free chunks that are kept */
};

/* One event of a region, or the number of samples of the event before (trace.c). */
struct swi_trace_event {
    int64_t tick;
    uint64_t what;
};

struct swi_chunks;

struct swi_trace_chunk {
    atomic_int references; /* one of the trace, and one of each record that has events in it */
    struct swi_chunks *pool;
    uint64_t first; /* number of its first event in the trace */
    _Atomic(struct swi_trace_chunk *)
        next; /* the next chunk of the trace; in the pool, the next free one */
    struct swi_trace_event event[SWI_TRACE_CHUNK_EVENTS];
};

struct swi_chunks {
    pthread_mutex_t lock;
    struct swi_trace_chunk *free;
    int free_count;
    atomic_int used;
};

void swi_chunks_init(struct swi_chunks *pool);
/* Every chunk must have been returned. */
void swi_chunks_fini(struct swi_chunks *pool);

/* Returns whether many chunks are in use. */
static inline bool swi_chunks_many(const struct swi_chunks *pool)
{
    return atomic_load_explicit(&pool->used, memory_order_relaxed) > SWI_CHUNKS_MANY;
}

/* Returns a chunk with one reference; NULL if out of memory, or if too many are in use. */
struct swi_trace_chunk *swi_trace_chunk_new(struct swi_chunks *pool);
/* Allocates chunks until at least this many are free, if there is memory. */
void swi_chunks_top_up(struct swi_chunks *pool, int count);
void swi_trace_chunk_ref(struct swi_trace_chunk *chunk);
void swi_trace_chunk_unref(struct swi_trace_chunk *chunk);

struct swi_clock;

/* What is known of the handles in events. */
struct swi_slice_actions {
    const char *(*name)(int action);
    int shaped_first; /* the first handle of an action with a shape */
    const char *(*shape)(int action);
    int (*base)(int action); /* the action of such a handle */
};

/* Consecutive events of a chunk. The record holds a reference to the chunk. */
struct swi_slice {
    struct swi_clock *clock;
    const struct swi_slice_actions *actions;
    const struct sw_counter_info *counter; /* by slot */
    struct swi_trace_chunk *chunk;         /* NULL: there are no events, because some were lost */
    uint32_t from, to;
    int64_t lost;         /* how many events were lost before these */
    int64_t tick;         /* of the last event taken */
    int64_t since, until; /* the window in ticks; earlier or later events are left out */
};

/* The parts of `what`, from its lowest bit on: the event, the phase, the action and the thread. A
 * number of samples, or of a step, is an event of its own after the end that it belongs to, with
 * the number in place of the tick. */
enum {
    SWI_TRACED_STEP = 13,
    SWI_TRACED_SAMPLES = 15,
    SWI_TRACED_PHASE = 4,
    SWI_TRACED_ACTION = 8,
    SWI_TRACED_THREAD = 32
};

/* So is how much a counter has gone up: its slot is where an action would be. */
enum { SWI_TRACED_COUNTER = 14 };

static inline uint64_t swi_traced_counter(int slot)
{
    return SWI_TRACED_COUNTER | (uint64_t)(uint32_t)slot << SWI_TRACED_ACTION;
}

/* Returns whether it is part of the event before it. */
static inline bool swi_traced_is_part(uint64_t what)
{
    return (what & 15) >= SWI_TRACED_STEP;
}

/* place: the phase and the thread, as swi_thread_phase() puts them together. */
static inline uint64_t swi_traced_what(enum sw_region_event event, int action, uint64_t place)
{
    return (uint64_t)event | (uint64_t)(uint32_t)action << SWI_TRACED_ACTION | place;
}

/* Returns how many begins, ends, cancels and discards a slice has, including lost ones. */
static inline int64_t swi_slice_events(const struct swi_slice *slice)
{
    int64_t events = slice->lost;
    for (uint32_t i = slice->from; i < slice->to; i++)
        events += !swi_traced_is_part(slice->chunk->event[i].what);
    return events;
}

/* A buffer in which a sink's thread makes regions. Zero-initialised, it is empty. */
struct swi_regions {
    struct sw_region item[SWI_TRACE_CHUNK_EVENTS];
    struct sw_counter_use use[SWI_TRACE_CHUNK_EVENTS];
    int64_t *last_ns; /* the last time of each thread; times never go back, even if the clock
                         changed since */
    int threads;
};

/* Fills regions->item with the events that are in the window. Returns how many. */
size_t swi_regions_make(struct swi_regions *regions, const struct swi_slice *slice);

void swi_regions_free(struct swi_regions *regions);

#endif
