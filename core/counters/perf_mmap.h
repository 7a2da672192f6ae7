/* SPDX-License-Identifier: MIT */
/* perf_mmap.h - what the page of a perf event says: the kernel describes there how a program reads
 * the counter without a system call. Only arithmetic: the caller reads the registers. */
#ifndef CORE_COUNTERS_PERF_MMAP_H
#define CORE_COUNTERS_PERF_MMAP_H

#include <stdbool.h>
#include <stdint.h>

/* A consistent copy of the fields of struct perf_event_mmap_page. */
struct swi_perf_mmap {
    uint32_t index; /* of the register, from 1; 0: the event has no register now */
    int64_t offset;
    uint64_t time_enabled, time_running;
    bool cap_user_rdpmc;
    uint16_t pmc_width;
};

/* Returns whether the program may read the register now, and sets its number. */
bool swi_perf_mmap_register(const struct swi_perf_mmap *page, uint32_t *number);

/* Returns the count, given what the register has. */
int64_t swi_perf_mmap_count(const struct swi_perf_mmap *page, uint64_t pmc);

#endif
