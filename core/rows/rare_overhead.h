/* SPDX-License-Identifier: MIT */
/* rare_overhead.h - times rare and long work of stepwatch on threads of the program: marks,
 * records, reports. All other work is sampled (core/loop/sampling.h). Such work leaves neither
 * memory nor floating-point exceptions to the program. */
#ifndef CORE_ROWS_RARE_OVERHEAD_H
#define CORE_ROWS_RARE_OVERHEAD_H

#include "core/counters/counted_memory.h"
#include "core/process/own_floats.h"
#include "core/rows/measured.h"

struct swi_rare_overhead {
    const struct swi_clock *clock;
    struct swi_thread *thread;      /* NULL: the calling thread is not measured */
    struct swi_memory_saved memory; /* what it allocates is nobody's */
    struct swi_floats floats;
};

void swi_rare_overhead_begin(struct swi_rare_overhead *work, const struct swi_measured *measured);
void swi_rare_overhead_end(struct swi_rare_overhead *work);

/* Times the rest of the block as rare work. What is within other rare work is part of that. */
#define SWI_RARE_WORK(measured)                                                                    \
    __attribute__((cleanup(swi_rare_overhead_end),                                                 \
                   unused)) struct swi_rare_overhead swi_rare_overhead_;                           \
    swi_rare_overhead_begin(&swi_rare_overhead_, measured)

/* Reads the clock for costs: the counter, or CLOCK_MONOTONIC. */
static inline int64_t swi_cost_now(const struct swi_clock *clock)
{
    return clock->counter ? swi_counter() : swi_monotonic_ns();
}

#endif
