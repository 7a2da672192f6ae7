/* SPDX-License-Identifier: MIT */
/* kept_steps.h - durations of the training steps of a fit, in constant memory: means of as many
 * steps as it takes. */
#ifndef CORE_ROWS_KEPT_STEPS_H
#define CORE_ROWS_KEPT_STEPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What takes more actions than this is kept as the action "other". */
enum { SWI_KEPT_COLUMNS = 1024, SWI_KEPT_ACTIONS = 128 };

struct swi_kept_row {
    int action;
    double *sum; /* of each column, in nanoseconds */
};

struct swi_kept_steps {
    pthread_mutex_t lock; /* the loop's thread adds; another one may make a copy */
    int64_t steps;
    int64_t block; /* steps of a column */
    size_t rows;
    struct swi_kept_row row[SWI_KEPT_ACTIONS];
};

/* NULL without memory. */
struct swi_kept_steps *swi_kept_steps_new(void);
void swi_kept_steps_free(struct swi_kept_steps *kept);

/* Forgets all steps, when a fit begins. kept may be NULL. */
void swi_kept_steps_reset(struct swi_kept_steps *kept);

/* Between these two, what is added is of one step. */
void swi_kept_steps_begin(struct swi_kept_steps *kept);
void swi_kept_steps_add(struct swi_kept_steps *kept, int action, double ns);
void swi_kept_steps_end(struct swi_kept_steps *kept);

/* How many columns are used; with the lock held. */
size_t swi_kept_steps_columns(const struct swi_kept_steps *kept);

/* The mean of a column, which may be of fewer steps if it is the last; with the lock held. */
double swi_kept_steps_mean(const struct swi_kept_steps *kept, size_t row, size_t column);

#endif
