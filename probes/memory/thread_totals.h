/* SPDX-License-Identifier: MIT */
/* thread_totals.h - the books of the calling thread. */
#ifndef PROBES_MEMORY_THREAD_TOTALS_H
#define PROBES_MEMORY_THREAD_TOTALS_H

#include <stepwatch/memory.h>

#include <stddef.h>

/* One load of an offset reaches it: the library is there when the program starts, never later. */
extern _Thread_local struct sw_memory mem_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline void mem_peak(void)
{
    if (mem_here.net > mem_here.peak)
        mem_here.peak = mem_here.net;
}

static inline void mem_took(int64_t size)
{
    mem_here.allocated += size;
    mem_here.allocs++;
    mem_here.net += size;
    mem_peak();
}

static inline void mem_gave(int64_t size)
{
    mem_here.freed += size;
    mem_here.frees++;
    mem_here.net -= size;
}

/* In one go: a block that grows has no peak of both sizes. */
static inline void mem_changed(int64_t before, int64_t after)
{
    mem_here.allocated += after;
    mem_here.allocs++;
    mem_here.freed += before;
    mem_here.frees++;
    mem_here.net += after - before;
    mem_peak();
}

/* ---- what realloc() counts, for a library that is loaded and for one that is linked ---------- */

/* block is not NULL. A size of 0 that gives no block has freed it; any other failure has not. */
static inline void *mem_resize(void *block, size_t size, void *(*resize)(void *, size_t),
                               size_t (*usable)(void *))
{
    int64_t before = (int64_t)usable(block);
    void *resized = resize(block, size);
    if (resized)
        mem_changed(before, (int64_t)usable(resized));
    else if (size == 0)
        mem_gave(before);
    return resized;
}

#endif
