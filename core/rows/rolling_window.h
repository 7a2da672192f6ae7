/* SPDX-License-Identifier: MIT */
/* rolling_window.h - sums over each N training steps in a row, for each action: what the rolling
 * averages are made of. These are logged where a window ends, and the next one begins there, so
 * one sum for each action is enough. They are integers, so they are exact. */
#ifndef CORE_ROWS_ROLLING_WINDOW_H
#define CORE_ROWS_ROLLING_WINDOW_H

#include "core/rows/counter_use.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One action in the window: a cache line. */
struct swi_rolling_column {
    _Alignas(64) int action;
    int step_calls; /* in the newest step in which it was called */
    int64_t step;   /* the number of that step */
    const char
        *name[2]; /* of its metrics throughput/… and time_ms/…, once recorder.c has made them */
    int64_t ticks;
    int64_t calls;
    int64_t steps; /* in how many steps it was called */
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
};

bool swi_rolling_window_init(struct swi_rolling_window *window, int64_t length, int64_t lead);
void swi_rolling_window_fini(struct swi_rolling_window *window);
/* Forgets all steps: the next one is the first. */
void swi_rolling_window_reset(struct swi_rolling_window *window);
/* Begins the next window. */
void swi_rolling_window_next(struct swi_rolling_window *window);

/* Adds a column for an action. Returns NULL if out of memory. */
struct swi_rolling_column *swi_rolling_window_new(struct swi_rolling_window *window, int action);

/* Adds a call of each of the steps that end now. It is dropped if memory runs out for its
 * column. ticks: of all. Returns whether the step may already have had a call of this action. */
static inline bool swi_rolling_window_add(struct swi_rolling_window *window, int action,
                                          int64_t ticks, int64_t steps)
{
    int16_t index = window->index[action];
    struct swi_rolling_column *column =
        index ? &window->column[index - 1] : swi_rolling_window_new(window, action);
    if (!column)
        return true;
    if (column->step != window->pushed) {
        column->step = window->pushed;
        column->step_calls = 0;
        column->steps += steps;
    }
    column->ticks += ticks;
    column->calls += steps;
    return ++column->step_calls > 1;
}

/* Ends steps: at most as many as are left. Returns whether the window ends with them. */
static inline bool swi_rolling_window_push(struct swi_rolling_window *window, int64_t samples,
                                           int64_t steps)
{
    window->pushed += steps;
    window->samples += samples;
    window->left -= steps;
    return window->left == 0;
}

/* Returns whether the steps so far are more than those before the first window. */
static inline bool swi_rolling_window_has_begun(const struct swi_rolling_window *window)
{
    return window->pushed > window->lead;
}

/* Returns the column of an action that has calls in the window, or NULL. */
struct swi_rolling_column *swi_rolling_window_get(const struct swi_rolling_window *window,
                                                  int action);

/* ---- what the actions of a window used of the counters --------------------------------------- */

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

/* Adds region number i of the list of a thread's ended regions, under an action; if it has the sums
 * of several steps, the share of some of them. */
struct swi_some_steps {
    int64_t count, of;
};
void swi_rolling_counter_use_add(struct swi_rolling_counter_use *counts,
                                 const struct swi_counting *counting, uint32_t i, int action,
                                 struct swi_some_steps steps);
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
