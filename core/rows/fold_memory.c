/* SPDX-License-Identifier: MIT */
#include "core/rows/fold_memory.h"
#include "core/process/signals.h"
#include "core/rows/current_profiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* In front of each block. */
struct block {
    size_t mapped;  /* its bytes if it was made in a handler; 0: it is of malloc() */
    void *outgrown; /* the block that it replaces, which a handler must not free */
};
_Static_assert(sizeof(struct block) % 16 == 0, "what follows is aligned");

bool swi_in_handler(struct swi_thread *thread)
{
    enum { DOUBTED_MOST = 32 };
    uint64_t blocked = swi_signals_blocked();
    if ((blocked & ~thread->blocked) != 0 && thread->doubted++ < DOUBTED_MOST)
        return true;
    thread->blocked = blocked;
    thread->doubted = 0;
    return false;
}

bool swi_fold_may_wait(void)
{
    return !swi_current.filled || !swi_in_handler(swi_current.filled);
}

static struct block *mapped_new(size_t bytes)
{
    struct block *block =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    block->mapped = bytes;
    return block;
}

void *swi_fold_alloc(size_t size)
{
    size_t bytes = sizeof(struct block) + size;
    struct block *block = swi_fold_may_wait() ? calloc(1, bytes) : mapped_new(bytes);
    return block ? block + 1 : NULL;
}

void *swi_fold_grow(void *old, size_t had, size_t size)
{
    struct block *grown = swi_fold_alloc(size);
    if (!grown)
        return NULL;
    if (had)
        memcpy(grown, old, had);
    if (grown[-1].mapped)
        grown[-1].outgrown = old;
    else
        swi_fold_free(old);
    return grown;
}

void swi_fold_free(void *memory)
{
    for (void *outgrown; memory; memory = outgrown) {
        struct block *block = (struct block *)memory - 1;
        outgrown = block->outgrown;
        if (block->mapped)
            munmap(block, block->mapped);
        else
            free(block);
    }
}
