/* SPDX-License-Identifier: MIT */
/* counter_table.h - all counters that a configuration may name. To add one, add its name here and
 * define swi_counter_NAME in a file of this folder. */
#ifndef CORE_COUNTERS_COUNTER_TABLE_H
#define CORE_COUNTERS_COUNTER_TABLE_H

#include "core/counters/counter.h"

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define SWI_COUNTERS(EACH)                                                                         \
    EACH(cpu) EACH(cpu_wait)                                                                       \
    EACH(page_faults) EACH(major_faults) EACH(switches) EACH(preempted)                            \
    EACH(cycles) EACH(instructions) EACH(cache_misses) EACH(branch_misses)                         \
    EACH(stalled_frontend) EACH(stalled_backend)                                                   \
    EACH(allocated) EACH(freed) EACH(allocs) EACH(frees) EACH(net) EACH(peak)
/* clang-format on */

#define SWI_COUNTER_DECLARE(name) extern const struct swi_counter swi_counter_##name;
SWI_COUNTERS(SWI_COUNTER_DECLARE)
#undef SWI_COUNTER_DECLARE

/* Returns counter i, from 0; NULL after the last. */
const struct swi_counter *swi_counters_at(size_t i);
/* Returns the counter with this name, or NULL. */
const struct swi_counter *swi_counters_find(const char *name);
/* Returns the most similar name of a counter, or NULL. */
const char *swi_counters_nearest(const char *name);

/* Lets one system call read several counters: each reading of a thread has a number, and the file
 * that makes the call keeps its result for that number. */
extern __attribute__((visibility("hidden"))) _Thread_local uint64_t swi_reading_number;

/* ---- events of the processor by a name that no table lists ----------------------------------- */

/* Returns the counter of an event: raw:0xCODE or pfm:NAME; NULL, and err says why, if there is no
 * such event. A counter that only this machine lacks is returned: its open() says why. Valid until
 * the process ends. */
const struct swi_counter *swi_hardware_counter(const char *name, struct sw_error *err);

#endif
