/* SPDX-License-Identifier: MIT */
/* rolling_counter_use.h - what the actions of the newest training steps used of the counters, for
 * the rolling means. These are logged after each window, and windows do not overlap: so one sum for
 * each action is enough. */
#ifndef CORE_ROWS_ROLLING_COUNTER_USE_H
#define CORE_ROWS_ROLLING_COUNTER_USE_H

#include "core/rows/counter_use.h"

#include <stdbool.h>

struct swi_rolling_action {
    int action;
    uint64_t has[2];        /* a bit for each slot of which anything is known */
    int64_t sum[SWI_SLOTS]; /* modulo 2^64 */
    uint64_t full[2];       /* a bit for each slot that was 2^63 or more */
};

/* Zero-initialised, it is empty. */
struct swi_rolling_counter_use {
    int64_t steps;
    size_t count;
    struct swi_rolling_action *item;
    int16_t *index; /* by action: number of its item + 1, or 0; NULL before the first */
};

/* Returns the item of an action, which it makes; NULL if out of memory or if there are too many. */
struct swi_rolling_action *swi_rolling_action_new(struct swi_rolling_counter_use *counts,
                                                  int action);

static inline struct swi_rolling_action *swi_rolling_action(struct swi_rolling_counter_use *counts,
                                                            int action)
{
    int16_t index = counts->index ? counts->index[action] : 0;
    return index ? &counts->item[index - 1] : swi_rolling_action_new(counts, action);
}

/* Adds region number i of the list of a thread's ended regions, under an action. */
void swi_rolling_counter_use_add(struct swi_rolling_counter_use *counts,
                                 const struct swi_counting *counting, uint32_t i, int action);
/* As swi_row_counter_use_look(), for the sums of a slot. */
void swi_rolling_counter_use_look(struct swi_rolling_counter_use *counts, int slot);
/* Begins a new window. */
void swi_rolling_counter_use_reset(struct swi_rolling_counter_use *counts);
void swi_rolling_counter_use_free(struct swi_rolling_counter_use *counts);

/* How many means there are. */
size_t swi_rolling_counter_use_size(const struct swi_rolling_counter_use *counts);
/* Whether an action has a slot; sets its mean per step, or of a peak the largest. */
bool swi_rolling_counter_use_get(const struct swi_rolling_counter_use *counts, size_t i, int slot,
                                 const struct swi_counters *counters, double *mean);

#endif
