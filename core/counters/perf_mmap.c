/* SPDX-License-Identifier: MIT */
#include "core/counters/perf_events.h"

bool swi_perf_mmap_register(const struct swi_perf_mmap *page, uint32_t *number)
{
    *number = page->index - 1;
    return page->cap_user_rdpmc && page->index;
}

/* The register has pmc_width bits and a sign. */
int64_t swi_perf_mmap_count(const struct swi_perf_mmap *page, uint64_t pmc)
{
    unsigned unused = page->pmc_width && page->pmc_width < 64 ? 64U - page->pmc_width : 0;
    int64_t value = (int64_t)(pmc << unused) >> unused;
    return (int64_t)((uint64_t)page->offset + (uint64_t)value);
}
