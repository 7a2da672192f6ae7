/* SPDX-License-Identifier: MIT */
/* dlsym_memory.h - memory for dlsym() while the allocator is not found yet. It is never given back.
 */
#ifndef PROBES_MEMORY_DLSYM_MEMORY_H
#define PROBES_MEMORY_DLSYM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEM_EARLY = 65536 };
extern __attribute__((visibility("hidden"))) char mem_early[MEM_EARLY];

static inline bool mem_early_has(const void *block)
{
    return (uintptr_t)block - (uintptr_t)mem_early < MEM_EARLY;
}

/* Zeroed, aligned to 16 bytes. NULL and ENOMEM if there is no more. */
void *mem_early_take(size_t size);

/* The size that was asked for. */
size_t mem_early_size(const void *block);

#endif
