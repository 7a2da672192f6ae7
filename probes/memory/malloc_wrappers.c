/* SPDX-License-Identifier: MIT */
/* The same for a statically linked program: -Wl,--wrap=malloc turns each call of malloc() into
 * __wrap_malloc(), and __real_malloc() is the allocator's function. */
#include "probes/memory/thread_totals.h"

#include <malloc.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker chooses these names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__real_memalign(size_t alignment, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
void __wrap_free(void *block);
void *__wrap_memalign(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_valloc(size_t size);
void *__wrap_pvalloc(size_t size);

static void *took(void *block)
{
    if (block)
        mem_took((int64_t)malloc_usable_size(block));
    return block;
}

#define MEM_PUBLIC
#define MEM_CALL(name) __wrap_##name
#define MEM_REAL(name) __real_##name
#define MEM_HAS(name) true
#include "probes/memory/aligned_calls.h"

void *__wrap_malloc(size_t size)
{
    return took(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    struct sw_memory before = mem_here;
    return took_alone(__real_calloc(count, size), &before);
}

void __wrap_free(void *block)
{
    if (block)
        mem_gave((int64_t)malloc_usable_size(block));
    __real_free(block);
}

static void *resize_alone(void *block, size_t size)
{
    struct sw_memory before = mem_here;
    void *resized = __real_realloc(block, size);
    mem_here = before;
    return resized;
}

void *__wrap_realloc(void *block, size_t size)
{
    struct sw_memory before = mem_here;
    return block ? mem_resize(block, size, resize_alone, malloc_usable_size)
                 : took_alone(__real_realloc(NULL, size), &before);
}
/* NOLINTEND(bugprone-reserved-identifier) */
