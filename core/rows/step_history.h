/* SPDX-License-Identifier: MIT */
/* step_history.h - durations of the training steps of a fit in constant memory: each value is the
 * mean of as many steps as needed. */
#ifndef CORE_ROWS_STEP_HISTORY_H
#define CORE_ROWS_STEP_HISTORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of a fit. Further actions are added to the action "other". */
enum { SWI_HISTORY_COLUMNS = 1024, SWI_HISTORY_ACTIONS = 128 };

struct swi_history_row {
    int action;
    double *sum; /* of each column, in nanoseconds */
};

struct swi_step_history {
    pthread_mutex_t lock; /* the loop's thread adds; another thread may copy */
    int64_t steps;
    int64_t block; /* steps in each column */
    size_t rows;
    struct swi_history_row row[SWI_HISTORY_ACTIONS];
};

/* Returns NULL if out of memory. */
struct swi_step_history *swi_step_history_new(void);
void swi_step_history_free(struct swi_step_history *history);

/* Drops all steps when a fit begins. kept may be NULL. */
void swi_step_history_reset(struct swi_step_history *history);

/* Everything added between begin and end belongs to one step. */
void swi_step_history_begin(struct swi_step_history *history);
void swi_step_history_add(struct swi_step_history *history, int action, double ns);
void swi_step_history_end(struct swi_step_history *history);

/* Returns how many columns are used. Call it with the lock held. */
size_t swi_step_history_columns(const struct swi_step_history *history);

/* Returns the mean of a column. The last column may have fewer steps. Call it with the lock held.
 */
double swi_step_history_mean(const struct swi_step_history *history, size_t row, size_t column);

#endif
