/* SPDX-License-Identifier: MIT */
/* allocator.h - the allocator that comes after this library: libc's, or one that is loaded with the
 * program, such as jemalloc. */
#ifndef PROBES_MEMORY_ALLOCATOR_H
#define PROBES_MEMORY_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

struct mem_allocator {
    void *(*malloc)(size_t); /* written last: all others are known then */
    void (*free)(void *);
    size_t (*usable)(void *); /* NULL: a sanitizer counts, so nothing is counted here */
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
};
extern __attribute__((visibility("hidden"))) struct mem_allocator mem_real;

/* This thread is looking for it: nothing counts. */
extern _Thread_local bool mem_finding
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Finds it. False while this thread is looking for it already: dlsym() allocates. */
__attribute__((visibility("hidden"))) bool mem_find(void);

static inline bool mem_ready(void)
{
    bool found = __atomic_load_n(&mem_real.malloc, __ATOMIC_ACQUIRE) != NULL;
    return __builtin_expect(found, 1) || mem_find();
}

#endif
