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
#include <unistd.h>

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

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

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

MEM_PUBLIC void *reallocarray(void *block, size_t count, size_t size)
{
    size_t all;
    return __builtin_mul_overflow(count, size, &all) ? no_memory() : realloc(block, all);
}

/* ---- aligned ---- */

MEM_PUBLIC void *memalign(size_t alignment, size_t size)
{
    return mem_ready() && mem_real.memalign ? took(mem_real.memalign(alignment, size))
                                            : no_memory();
}

MEM_PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
    return mem_ready() && mem_real.aligned_alloc ? took(mem_real.aligned_alloc(alignment, size))
                                                 : no_memory();
}

/* Leaves errno unchanged, and on failure also *block. */
MEM_PUBLIC int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (!mem_ready() || !mem_real.posix_memalign)
        return ENOMEM;
    int rc = mem_real.posix_memalign(block, alignment, size);
    if (rc == 0)
        took(*block);
    return rc;
}

MEM_PUBLIC void *valloc(size_t size)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

MEM_PUBLIC void *pvalloc(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - page + 1)
        return no_memory();
    return memalign(page, (size + page - 1) & ~(page - 1));
}
