/* SPDX-License-Identifier: MIT */
#include "core/media/budget.h"

#include <stdint.h>
#include <stdlib.h>

/* The header before the memory that a caller gets. */
struct swi_block {
    struct swi_budget *budget;
    struct swi_block *next; /* while it is free */
    size_t bytes;           /* with this */
    size_t reserved;        /* keeps the memory after it aligned */
    char memory[];
};

void swi_budget_init(struct swi_budget *budget, size_t limit)
{
    *budget = (struct swi_budget){.limit = limit};
    pthread_mutex_init(&budget->lock, NULL);
}

void swi_budget_fini(struct swi_budget *budget)
{
    for (struct swi_block *block = budget->cached, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    budget->cached = NULL;
    pthread_mutex_destroy(&budget->lock);
}

bool swi_budget_take(struct swi_budget *budget, size_t size)
{
    size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
    do {
        if (size > budget->limit || used > budget->limit - size) {
            atomic_store(&budget->full, true);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + size));
    return true;
}

void swi_budget_give(struct swi_budget *budget, size_t size)
{
    atomic_fetch_sub(&budget->used, size);
}

/* Rounds large blocks up, so that the next value of about the same size finds a block that fits. */
static size_t rounded(size_t size)
{
    enum { STEP = 64 << 10 };
    size_t bytes = size + sizeof(struct swi_block);
    return bytes < SWI_BLOCK_CACHED_MIN ? bytes : (bytes + STEP - 1) / STEP * STEP;
}

/* Returns a block that was used before and is less than twice as large as needed. */
static struct swi_block *cache_take(struct swi_budget *budget, size_t bytes)
{
    struct swi_block **at = &budget->cached, *block;
    pthread_mutex_lock(&budget->lock);
    while (*at && ((*at)->bytes < bytes || (*at)->bytes / 2 > bytes))
        at = &(*at)->next;
    if ((block = *at)) {
        *at = block->next;
        budget->cached_bytes -= block->bytes;
    }
    pthread_mutex_unlock(&budget->lock);
    return block;
}

static bool cache_put(struct swi_budget *budget, struct swi_block *block)
{
    pthread_mutex_lock(&budget->lock);
    bool fits = budget->cached_bytes + block->bytes <= SWI_CACHE_MAX;
    if (fits) {
        block->next = budget->cached;
        budget->cached = block;
        budget->cached_bytes += block->bytes;
    }
    pthread_mutex_unlock(&budget->lock);
    return fits;
}

static struct swi_block *block_find(struct swi_budget *budget, size_t bytes)
{
    struct swi_block *block = bytes < SWI_BLOCK_CACHED_MIN ? NULL : cache_take(budget, bytes);
    if (block) {
        /* It may be larger. */
        atomic_fetch_add(&budget->used, block->bytes - bytes);
        return block;
    }
    if ((block = malloc(bytes)))
        block->bytes = bytes;
    return block;
}

void *swi_block_new(struct swi_budget *budget, size_t size, bool *full)
{
    *full = size > SIZE_MAX / 2 || !swi_budget_take(budget, rounded(size));
    if (*full)
        return NULL;
    struct swi_block *block = block_find(budget, rounded(size));
    if (!block) {
        swi_budget_give(budget, rounded(size));
        return NULL;
    }
    block->budget = budget;
    return block->memory;
}

void swi_block_free(void *memory)
{
    if (!memory)
        return;
    struct swi_block *block =
        (struct swi_block *)(void *)((char *)memory - offsetof(struct swi_block, memory));
    struct swi_budget *budget = block->budget;
    swi_budget_give(budget, block->bytes);
    if (block->bytes < SWI_BLOCK_CACHED_MIN || !cache_put(budget, block))
        free(block);
}

bool swi_budget_take_file(struct swi_budget *budget)
{
    if (atomic_fetch_add(&budget->files, 1) < SWI_FILES_OPEN)
        return true;
    swi_budget_give_file(budget);
    return false;
}

void swi_budget_give_file(struct swi_budget *budget)
{
    atomic_fetch_sub(&budget->files, 1);
}
