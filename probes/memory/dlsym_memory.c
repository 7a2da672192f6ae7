/* SPDX-License-Identifier: MIT */
#include "probes/memory/dlsym_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum { HEAD = 16 }; /* the size, before each block */

_Alignas(16) char mem_early[MEM_EARLY];
static atomic_size_t used;

void *mem_early_take(size_t size)
{
    size_t whole = (size + HEAD + 15) & ~(size_t)15;
    size_t at = size < MEM_EARLY ? atomic_fetch_add(&used, whole) : MEM_EARLY;
    if (at > MEM_EARLY - whole) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(mem_early + at, &size, sizeof size);
    return mem_early + at + HEAD;
}

size_t mem_early_size(const void *block)
{
    size_t size;
    memcpy(&size, (const char *)block - HEAD, sizeof size);
    return size;
}
