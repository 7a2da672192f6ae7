/* SPDX-License-Identifier: MIT */
/* kept_steps.h - durations of the training steps of a fit in constant memory: each value is the
 * mean of as many steps as needed. */
#ifndef CORE_ROWS_KEPT_STEPS_H
#define CORE_ROWS_KEPT_STEPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of a fit. Further actions are added to the action "other". */
enum { SWI_KEPT_COLUMNS = 1024, SWI_KEPT_ACTIONS = 128 };

struct swi_kept_row {
    int action;
    double *sum; /* of each column, in nanoseconds */
};

struct swi_kept_steps {
    pthread_mutex_t lock; /* the loop's thread adds; another thread may copy */
    int64_t steps;
    int64_t block; /* steps in each column */
    size_t rows;
    struct swi_kept_row row[SWI_KEPT_ACTIONS];
};

/* Returns NULL if out of memory. */
struct swi_kept_steps *swi_kept_steps_new(void);
void swi_kept_steps_free(struct swi_kept_steps *kept);

/* Drops all steps when a fit begins. kept may be NULL. */
void swi_kept_steps_reset(struct swi_kept_steps *kept);

/* Everything added between begin and end belongs to one step. */
void swi_kept_steps_begin(struct swi_kept_steps *kept);
void swi_kept_steps_add(struct swi_kept_steps *kept, int action, double ns);
void swi_kept_steps_end(struct swi_kept_steps *kept);

/* Returns how many columns are used. Call it with the lock held. */
size_t swi_kept_steps_columns(const struct swi_kept_steps *kept);

/* Returns the mean of a column. The last column may have fewer steps. Call it with the lock held.
 */
double swi_kept_steps_mean(const struct swi_kept_steps *kept, size_t row, size_t column);

#endif
