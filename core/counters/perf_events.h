/* SPDX-License-Identifier: MIT */
/* perf_events.h - events that the processor counts, of the calling thread. */
#ifndef CORE_COUNTERS_PERF_EVENTS_H
#define CORE_COUNTERS_PERF_EVENTS_H

#include "core/counters/named_events.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

/* The kinds of events. The last are those that a configuration names, in the order of their
 * numbers. */
enum {
    SWI_CYCLES,
    SWI_INSTRUCTIONS,
    SWI_CACHE_MISSES,
    SWI_BRANCH_MISSES,
    SWI_STALLED_FRONTEND,
    SWI_STALLED_BACKEND,
    SWI_NAMED,
    SWI_PERF_EVENTS = SWI_NAMED + SWI_NAMED_EVENTS
};

/* As the functions of the same names of struct swi_counter. */
int swi_perf_event_open(int kind, struct sw_error *err);
bool swi_perf_event_read(int kind, int64_t *value);
bool swi_perf_event_gap(int kind);
bool swi_perf_event_slow(int kind);

/* Returns the share of a thread's time on a CPU in which its counters had registers of the
 * processor, in percent: of the thread that had none of them last; 100 if all had them always. */
int swi_perf_events_ran_percent(void);

/* ---- the page of a perf event ---------------------------------------------------------------- */

/* What the page of a perf event says: the kernel describes there how a program reads the counter
 * without a system call. Only arithmetic: the caller reads the registers. */

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
