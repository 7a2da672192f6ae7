/* SPDX-License-Identifier: MIT */
#include "probes/memory/thread_totals.h"

/* In one cache line. */
_Alignas(64) _Thread_local struct sw_memory mem_here = {.size = sizeof mem_here};

__attribute__((visibility("default"))) struct sw_memory *sw_memory_here(void)
{
    return &mem_here;
}
