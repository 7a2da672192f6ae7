/* SPDX-License-Identifier: MIT */
#include "core/trace/chunk.h"

#include <stdlib.h>
#include <string.h>

void swi_chunks_init(struct swi_chunks *pool)
{
    *pool = (struct swi_chunks){.free = NULL};
    pthread_mutex_init(&pool->lock, NULL);
}

void swi_chunks_fini(struct swi_chunks *pool)
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

struct swi_trace_chunk *swi_trace_chunk_new(struct swi_chunks *pool)
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

void swi_trace_chunk_ref(struct swi_trace_chunk *chunk)
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
