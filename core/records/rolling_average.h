/* SPDX-License-Identifier: MIT */
/* rolling_average.h - the mean of the last N training steps, for each action: how the steps are
 * added up, and the record with the averages. These are logged where a window of N steps ends, and
 * the next one begins there, so one sum for each action is enough. The sums are integers, so they
 * are exact. Under the fold lock. */
#ifndef CORE_RECORDS_ROLLING_AVERAGE_H
#define CORE_RECORDS_ROLLING_AVERAGE_H

#include "core/records/metric_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWI_ROLLING_COLUMNS = 256 };

/* What an action used of the counters. */
struct swi_rolling_use {
    uint64_t has[2];        /* a bit for each slot of which anything is known */
    int64_t sum[SWI_SLOTS]; /* modulo 2^64 */
    uint64_t full[2];       /* a bit for each slot that was 2^63 or more */
};

/* One action in the window. */
struct swi_rolling_column {
    int action;
    int64_t step;        /* the number of the newest step in which it was called */
    const char *name[2]; /* of its metrics throughput/… and time_ms/…, once they
                           were logged */
    int64_t ticks;
    int64_t calls;
    int64_t steps;               /* in how many steps it was called */
    struct swi_rolling_use *use; /* NULL: none yet */
};

struct swi_rolling_window {
    int64_t length; /* N */
    int64_t lead;   /* so many steps come before the first window */
    int64_t pushed; /* steps so far */
    int64_t left;   /* steps until the window ends, or the first one begins */
    int64_t samples;
    size_t count;
    struct swi_rolling_column *column;
    int16_t *index; /* by action: column + 1, or 0; it has SWI_ACTIONS entries */
    size_t counted; /* columns with a use, in the order in which they got it */
    int16_t counted_column[SWI_ROLLING_COLUMNS];
};

bool swi_rolling_window_init(struct swi_rolling_window *window, int64_t length, int64_t lead);
void swi_rolling_window_fini(struct swi_rolling_window *window);
/* Forgets all steps: the next one is the first. */
void swi_rolling_window_reset(struct swi_rolling_window *window);

/* As swi_row_counter_use_look(), for the sums of the window. */
void swi_rolling_use_look(struct swi_rolling_window *window, int slot);

/* Adds a training step that has ended, and sends the averages where it ends a window. `values` go
 * with them. */
void swi_rolling_average_step(struct swi_recorder *records, struct swi_rolling_window *window,
                              struct swi_values *values, const struct swi_thread *thread,
                              const struct swi_step *step);

/* Sends what the program logged so far, without averages. */
void swi_recorder_values(struct swi_recorder *records, struct swi_values *values, int64_t step,
                         int64_t tick);

#endif
