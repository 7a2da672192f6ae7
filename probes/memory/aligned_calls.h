/* SPDX-License-Identifier: MIT */
/* aligned_calls.h - functions of the allocator that count in the same way in a library that is
 * loaded and in one that is linked. Each of their files defines MEM_CALL(name), which programs
 * call; MEM_REAL(name), which the allocator has; MEM_HAS(name), whether it has that; MEM_PUBLIC;
 * and took(), which counts a block. */
#ifndef PROBES_MEMORY_ALIGNED_CALLS_H
#define PROBES_MEMORY_ALIGNED_CALLS_H

#include "probes/memory/thread_totals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* The allocator's functions may call each other, which counts, too; only the outer call should. */
static void *took_alone(void *block, const struct sw_memory *before)
{
    mem_here = *before;
    return took(block);
}

MEM_PUBLIC void *MEM_CALL(reallocarray)(void *block, size_t count, size_t size)
{
    size_t all;
    return __builtin_mul_overflow(count, size, &all) ? no_memory() : MEM_CALL(realloc)(block, all);
}

MEM_PUBLIC void *MEM_CALL(memalign)(size_t alignment, size_t size)
{
    struct sw_memory before = mem_here;
    return MEM_HAS(memalign) ? took_alone(MEM_REAL(memalign)(alignment, size), &before)
                             : no_memory();
}

MEM_PUBLIC void *MEM_CALL(aligned_alloc)(size_t alignment, size_t size)
{
    struct sw_memory before = mem_here;
    return MEM_HAS(aligned_alloc) ? took_alone(MEM_REAL(aligned_alloc)(alignment, size), &before)
                                  : no_memory();
}

/* Leaves errno unchanged, and on failure also *block. */
MEM_PUBLIC int MEM_CALL(posix_memalign)(void **block, size_t alignment, size_t size)
{
    struct sw_memory before = mem_here;
    if (!MEM_HAS(posix_memalign))
        return ENOMEM;
    int rc = MEM_REAL(posix_memalign)(block, alignment, size);
    took_alone(rc == 0 ? *block : NULL, &before);
    return rc;
}

MEM_PUBLIC void *MEM_CALL(valloc)(size_t size)
{
    return MEM_CALL(memalign)((size_t)sysconf(_SC_PAGESIZE), size);
}

MEM_PUBLIC void *MEM_CALL(pvalloc)(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - page + 1)
        return no_memory();
    return MEM_CALL(memalign)(page, (size + page - 1) & ~(page - 1));
}

#endif
