/* SPDX-License-Identifier: MIT */
/* The functions that programs find instead of those of the allocator. They count and call the
 * allocator, and leave errno as it does. */
#include "probes/memory/allocator.h"
#include "probes/memory/thread_totals.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory for dlsym() while the allocator is not found yet --------------------------------- */

/* It is never given back. */

enum { MEM_EARLY = 65536 };

_Alignas(16) static char early[MEM_EARLY];
static atomic_size_t used;

static inline bool early_has(const void *block)
{
    return (uintptr_t)block - (uintptr_t)early < MEM_EARLY;
}

enum { HEAD = 16 }; /* the size, before each block */

/* Zeroed, aligned to 16 bytes. NULL and ENOMEM if the arena is full. */
static void *early_take(size_t size)
{
    size_t whole = (size + HEAD + 15) & ~(size_t)15;
    size_t at = size < MEM_EARLY ? atomic_fetch_add(&used, whole) : MEM_EARLY;
    if (at > MEM_EARLY - whole) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(early + at, &size, sizeof size);
    return early + at + HEAD;
}

/* The size that was asked for. */
static size_t early_size(const void *block)
{
    size_t size;
    memcpy(&size, (const char *)block - HEAD, sizeof size);
    return size;
}

/* ---- the functions that programs find instead of those of the allocator ---------------------- */

#define MEM_PUBLIC __attribute__((visibility("default")))

static inline void *took(void *block)
{
    if (__builtin_expect(block != NULL, 1) && mem_real.usable)
        mem_took((int64_t)mem_real.usable(block));
    return block;
}

#define MEM_CALL(name) name
#define MEM_REAL(name) mem_real.name
#define MEM_HAS(name) (mem_ready() && mem_real.name)
#include "probes/memory/aligned_calls.h"

MEM_PUBLIC void *malloc(size_t size)
{
    return mem_ready() ? took(mem_real.malloc(size)) : early_take(size);
}

MEM_PUBLIC void *calloc(size_t count, size_t size)
{
    size_t all;
    if (mem_ready())
        return took(mem_real.calloc(count, size));
    return __builtin_mul_overflow(count, size, &all) ? no_memory() : early_take(all);
}

MEM_PUBLIC void free(void *block)
{
    /* While looking for the allocator, only early blocks can be freed. */
    if (!block || early_has(block) || !mem_ready())
        return;
    if (mem_real.usable)
        mem_gave((int64_t)mem_real.usable(block));
    mem_real.free(block);
}

/* Moves a block out of the arena, or within it while looking for the allocator. */
static __attribute__((noinline, cold)) void *early_resize(void *block, size_t size)
{
    size_t before = block && early_has(block) ? early_size(block) : 0;
    void *resized = block && size == 0 ? NULL : malloc(size);
    if (resized && before)
        memcpy(resized, block, before < size ? before : size);
    return resized;
}

MEM_PUBLIC void *realloc(void *block, size_t size)
{
    if (early_has(block) || !mem_ready())
        return early_resize(block, size);
    if (!block)
        return took(mem_real.realloc(NULL, size));
    return mem_real.usable ? mem_resize(block, size, mem_real.realloc, mem_real.usable)
                           : mem_real.realloc(block, size);
}
