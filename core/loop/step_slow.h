/* SPDX-License-Identifier: MIT */
/* step_slow.h - what the end of a step has to do besides where a sink wants every region, or where
 * counters are read. */
#ifndef CORE_LOOP_STEP_SLOW_H
#define CORE_LOOP_STEP_SLOW_H

#include "core/loop/state.h"

/* The regions that ended: from `first` on those of the batch. */
struct swi_step_parts {
    uint32_t first, count;
    int64_t samples;
    bool leave_out; /* what drop_first_batch leaves out */
};

/* row: of the action step; NULL if out of memory. In the middle of a change. */
void swi_step_slow(struct sw_profiler *sw, struct swi_thread *thread, struct swi_step_parts parts,
                   struct swi_row *row, int64_t now);

/* Adds what regions from number `from` on used of the counters, by the rules of their durations. */
void swi_step_counts(const struct swi_thread *thread, struct swi_step_parts parts, uint32_t from);

#endif
