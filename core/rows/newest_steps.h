/* SPDX-License-Identifier: MIT */
/* newest_steps.h - durations of the training steps of a fit, in constant memory: of the newest, one
 * by one, what the rules of core/advice/ look at when the fit is over; and of all, as means. Under
 * the fold lock. */
#ifndef CORE_ROWS_NEWEST_STEPS_H
#define CORE_ROWS_NEWEST_STEPS_H

#include "core/rows/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of more actions than this the rest is one: the last column. */
enum { SWI_NEWEST_STEPS = 8192, SWI_NEWEST_ACTIONS = 14 };

/* times: how many steps it stands for, whose sums it has; `number` is that of the last. */
struct swi_newest_step {
    int64_t number, samples;
    int32_t first, times;
    int64_t draw, batch;
    int64_t ticks[SWI_NEWEST_ACTIONS];
};

struct swi_newest_steps {
    int64_t count; /* entries of training steps of the fit that were not cancelled */
    int64_t more;  /* so many more steps than entries */
    int64_t samples;
    int64_t between; /* ticks between steps */
    int actions;
    int action[SWI_NEWEST_ACTIONS];   /* SWI_NEWEST_REST: of all that have no column */
    int64_t last[SWI_NEWEST_ACTIONS]; /* `count` when the action ran last */
    int64_t last_end;                 /* tick of the step before; negative: there is none */
    bool first;                       /* the next step is the first of its epoch */
    int next_column;                  /* where the search for an action begins */
    struct swi_newest_step step[SWI_NEWEST_STEPS]; /* a ring: entry count % SWI_NEWEST_STEPS */
};
enum { SWI_NEWEST_REST = -1 };

/* Returns an empty one, which the caller must free(); NULL if out of memory. */
struct swi_newest_steps *swi_newest_steps_new(void);
void swi_newest_steps_empty(struct swi_newest_steps *steps);

/* A step of training ended. */
void swi_newest_steps_add(struct swi_newest_steps *steps, const struct swi_step *ended);
/* A step of validation ended, or a step was cancelled. */
void swi_newest_steps_other(struct swi_newest_steps *steps, bool cancelled, int64_t now);
/* An epoch, train or valid began or ended. */
void swi_newest_steps_cut(struct swi_newest_steps *steps, bool begins);

/* ---- of all steps: each value is the mean of as many steps as needed ------------------------- */

/* The limits of a fit. Further actions are added to the action "other". */
enum { SWI_HISTORY_COLUMNS = 1024, SWI_HISTORY_ACTIONS = 128 };

struct swi_history_row {
    int action;
    double *sum; /* of each column, in nanoseconds */
};

struct swi_step_history {
    int64_t steps;
    int64_t block; /* steps in each column */
    size_t rows;
    struct swi_history_row row[SWI_HISTORY_ACTIONS];
};

/* Returns NULL if out of memory. */
struct swi_step_history *swi_step_history_new(void);
void swi_step_history_free(struct swi_step_history *history);

/* Drops all steps when a fit begins. history may be NULL. */
void swi_step_history_reset(struct swi_step_history *history);

/* Adds a step. */
void swi_step_history_step(struct swi_step_history *history, const struct swi_step *step,
                           double ns_per_tick);

/* Returns how many columns are used. */
size_t swi_step_history_columns(const struct swi_step_history *history);

/* Returns the mean of a column. The last column may have fewer steps. */
double swi_step_history_mean(const struct swi_step_history *history, size_t row, size_t column);

#endif
