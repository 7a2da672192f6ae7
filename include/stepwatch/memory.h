/* SPDX-License-Identifier: MIT */
/**
 * memory.h - what the calling thread has allocated and freed.
 *
 * libstepwatch-memory counts this. The library is preloaded by `stepwatch run --memory`, linked, or
 * linked statically with -Wl,--wrap. libstepwatch reads the counts for its counters of memory, and
 * programs may read them, too.
 */
#ifndef STEPWATCH_MEMORY_H
#define STEPWATCH_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/**
 * The counts of a thread. Bytes are those that the allocator holds for a block
 * (malloc_usable_size()), so that net is 0 when everything was freed. A block counts on the thread
 * that makes the call, at the time of the call: net is negative on a thread that frees what others
 * allocated.
 *
 * A successful realloc() counts as one allocation and one free: it adds the old size to freed and
 * the new size to allocated, and changes net by their difference. free(NULL) and calls that fail
 * are not counted. With a sanitizer, bytes are those that the program asked for.
 */
struct sw_memory {
    uint64_t size;     /**< of this struct, in bytes: later versions add members at its end */
    int64_t allocated; /**< bytes */
    int64_t freed;     /**< bytes */
    int64_t allocs;    /**< calls that allocated */
    int64_t frees;     /**< calls that freed */
    int64_t net;       /**< allocated - freed */
    /** The largest net so far. A reader may set it to net to find the peak from then on, and must
     * afterwards set it to the larger of the two peaks. */
    int64_t peak;
};

/**
 * Returns the counts of the calling thread, never NULL; valid until the thread ends. Only that
 * thread may read and write them. The function is defined by libstepwatch-memory, not by
 * libstepwatch. A program that must also run without that library declares the function weak:
 *
 *     #pragma weak sw_memory_here
 *
 *     int64_t net = sw_memory_here ? sw_memory_here()->net : 0;
 */
struct sw_memory *sw_memory_here(void);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
