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
    bool cap_user_rdpmc, cap_user_time, cap_user_time_short;
    uint16_t pmc_width;
    uint16_t time_shift;
    uint32_t time_mult;
    uint64_t time_offset, time_cycles, time_mask;
};

/* Returns whether the program may read the register now, and sets its number. */
bool swi_perf_mmap_register(const struct swi_perf_mmap *page, uint32_t *number);

/* Returns the count, given what the register has. */
int64_t swi_perf_mmap_count(const struct swi_perf_mmap *page, uint64_t pmc);

/* Sets how long the event has been enabled, which for an event of a thread is its time on a CPU,
 * and how long it had a register of it. tsc: the time-stamp counter. Returns false if the page does
 * not say it; the fields time_enabled and time_running are then those of the last switch. */
bool swi_perf_mmap_times(const struct swi_perf_mmap *page, uint64_t tsc, uint64_t *enabled,
                         uint64_t *running);

/* Sets an estimate of the count for an event that ran only part of the time. Returns false if it
 * never ran. */
bool swi_perf_scaled(int64_t count, uint64_t enabled, uint64_t running, int64_t *scaled);

#endif
