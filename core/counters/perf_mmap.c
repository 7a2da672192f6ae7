/* SPDX-License-Identifier: MIT */
#include "core/counters/perf_mmap.h"

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

/* As include/uapi/linux/perf_event.h of Linux describes it. */
bool swi_perf_mmap_times(const struct swi_perf_mmap *page, uint64_t tsc, uint64_t *enabled,
                         uint64_t *running)
{
    if (!page->cap_user_time)
        return false;
    if (page->cap_user_time_short)
        tsc = page->time_cycles + ((tsc - page->time_cycles) & page->time_mask);
    uint64_t part = tsc & ((UINT64_C(1) << page->time_shift) - 1);
    uint64_t whole = tsc >> page->time_shift;
    uint64_t since = page->time_offset + whole * page->time_mult +
                     ((part * page->time_mult) >> page->time_shift);
    *enabled = page->time_enabled + since;
    *running = page->time_running + (page->index ? since : 0);
    return true;
}

bool swi_perf_scaled(int64_t count, uint64_t enabled, uint64_t running, int64_t *scaled)
{
    if (!running)
        return false;
    *scaled = enabled == running
                  ? count
                  : (int64_t)((long double)count * (long double)enabled / (long double)running);
    return true;
}
