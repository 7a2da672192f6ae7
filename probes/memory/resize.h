/* SPDX-License-Identifier: MIT */
/* resize.h - what realloc() counts, for a library that is loaded and for one that is linked. */
#ifndef PROBES_MEMORY_RESIZE_H
#define PROBES_MEMORY_RESIZE_H

#include "probes/memory/thread_totals.h"

#include <stddef.h>

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
