/* SPDX-License-Identifier: MIT */
#include "core/counters/counted_memory.h"
#include "core/rows/thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A process may be allowed few addresses, so ever fewer are tried. */
void swi_event_pool_init(struct swi_event_pool *pool)
{
    SWI_OWN_MEMORY;
    *pool = (struct swi_event_pool){.most = SWI_CHUNKS_MOST};
    for (; pool->most >= 2; pool->most /= 2) {
        pool->bytes = (size_t)pool->most * SWI_CHUNK_BYTES;
        void *area = mmap(NULL, pool->bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (area != MAP_FAILED) {
            pool->area = area;
            break;
        }
    }
    pool->below = calloc(pool->most + 1, sizeof(*pool->below));
    if (!pool->area || !pool->below)
        pool->most = 0;
}

void swi_event_pool_fini(struct swi_event_pool *pool)
{
    if (pool->area)
        munmap(pool->area, pool->bytes);
    free(pool->below);
    pool->area = NULL;
    pool->below = NULL;
    pool->most = 0;
}

static struct swi_chunk *chunk_at(const struct swi_event_pool *pool, uint32_t number)
{
    return (struct swi_chunk *)(pool->area + (size_t)(number - 1) * SWI_CHUNK_BYTES);
}

void swi_event_pool_populate(struct swi_event_pool *pool)
{
    enum { AHEAD = 24 };
    uint32_t to = atomic_load(&pool->fresh) + AHEAD;
    to = to < pool->most ? to : pool->most;
    uint32_t from = atomic_load(&pool->populated);
    if (!pool->area || to < from + AHEAD / 2 ||
        !atomic_compare_exchange_strong(&pool->populated, &from, to))
        return;
#ifdef MADV_POPULATE_WRITE
    char *at = pool->area + (size_t)from * SWI_CHUNK_BYTES;
    madvise(at, (size_t)(to - from) * SWI_CHUNK_BYTES, MADV_POPULATE_WRITE);
#endif
}

/* The number of changes keeps a thread that was interrupted here from taking a chunk that is on top
 * again, with another one below it. */
static uint64_t top_of(uint64_t before, uint32_t number)
{
    return ((before >> 32) + 1) << 32 | number;
}

static struct swi_chunk *free_take(struct swi_event_pool *pool)
{
    uint64_t top = atomic_load(&pool->top);
    while ((uint32_t)top) {
        uint64_t below = top_of(top, atomic_load(&pool->below[(uint32_t)top]));
        if (atomic_compare_exchange_weak(&pool->top, &top, below))
            return chunk_at(pool, (uint32_t)top);
    }
    return NULL;
}

struct swi_chunk *swi_chunk_take(struct swi_event_pool *pool)
{
    if (atomic_fetch_add(&pool->used, 1) >= pool->most) {
        atomic_fetch_sub(&pool->used, 1);
        return NULL;
    }
    struct swi_chunk *chunk = free_take(pool);
    if (chunk)
        return chunk;
    uint32_t number = atomic_fetch_add(&pool->fresh, 1) + 1;
    if (number > pool->most) { /* one that is about to be given back was counted as unused */
        atomic_fetch_sub(&pool->fresh, 1);
        atomic_fetch_sub(&pool->used, 1);
        return NULL;
    }
    chunk = chunk_at(pool, number);
    chunk->number = number;
    return chunk;
}

void swi_chunk_give_back(struct swi_event_pool *pool, struct swi_chunk *chunk)
{
    uint32_t number = chunk->number;
    if (number == SWI_CHUNK_ALLOCATED)
        munmap(chunk, SWI_CHUNK_BYTES);
    if (!number || number == SWI_CHUNK_ALLOCATED)
        return;
    memset((void *)chunk->event, 0, SWI_CHUNK_BYTES - sizeof *chunk);
    atomic_store(&chunk->next, NULL);
    chunk->count = 0;
    uint64_t top = atomic_load(&pool->top);
    do
        atomic_store(&pool->below[number], (uint32_t)top);
    while (!atomic_compare_exchange_weak(&pool->top, &top, top_of(top, number)));
    atomic_fetch_sub(&pool->used, 1);
}
