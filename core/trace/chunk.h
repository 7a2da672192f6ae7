/* SPDX-License-Identifier: MIT */
/* chunk.h - memory for the begins, ends and cancels of all threads: blocks of one size, from a pool
 * with a limit. */
#ifndef CORE_TRACE_CHUNK_H
#define CORE_TRACE_CHUNK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
