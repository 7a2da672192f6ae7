/* SPDX-License-Identifier: MIT */
/* chunk.h - memory for the begins, ends and cancels of all threads: blocks of one size from a pool
 * with a limit. */
#ifndef CORE_TRACE_CHUNK_H
#define CORE_TRACE_CHUNK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SWI_CHUNK_EVENTS = 1024,
    SWI_CHUNKS_MAX = 1536, /* 24 MiB: what waits for sinks that are too slow */
    SWI_CHUNKS_MANY = 256, /* with so many, threads hand over themselves */
    SWI_CHUNKS_KEPT = 64   /* of those that are free */
};

/* What happened to a region, or the rest of what did (trace.c). */
struct swi_event {
    int64_t tick;
    uint64_t what;
};

struct swi_chunks;

struct swi_chunk {
    atomic_int references; /* of the trace, and of each record that has events of it */
    struct swi_chunks *pool;
    uint64_t first;                   /* number of its first event in the trace */
    _Atomic(struct swi_chunk *) next; /* the trace goes on there; in the pool: the next free one */
    struct swi_event event[SWI_CHUNK_EVENTS];
};

struct swi_chunks {
    pthread_mutex_t lock;
    struct swi_chunk *free;
    int free_count;
    atomic_int used;
};

void swi_chunks_init(struct swi_chunks *pool);
/* Every chunk must have come back. */
void swi_chunks_fini(struct swi_chunks *pool);

/* Whether many are in use. */
static inline bool swi_chunks_many(const struct swi_chunks *pool)
{
    return atomic_load_explicit(&pool->used, memory_order_relaxed) > SWI_CHUNKS_MANY;
}

/* A chunk with one reference; NULL without memory, or where too many are in use. */
struct swi_chunk *swi_chunk_new(struct swi_chunks *pool);
/* Has some chunks ready, so that the first begins and ends do not wait for memory. */
void swi_chunks_prepare(struct swi_chunks *pool, int count);
/* Has at least so many chunks free, if there is memory. */
void swi_chunks_top_up(struct swi_chunks *pool, int count);
void swi_chunk_ref(struct swi_chunk *chunk);
void swi_chunk_unref(struct swi_chunk *chunk);

#endif
