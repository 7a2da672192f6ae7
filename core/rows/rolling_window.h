/* SPDX-License-Identifier: MIT */
/* rolling_window.h - sums over each N training steps in a row, for each action: what the rolling
 * averages are made of. These are logged where a window ends, and the next one begins there, so
 * one sum for each action is enough. They are integers, so they are exact. Under the fold lock. */
#ifndef CORE_ROWS_ROLLING_WINDOW_H
#define CORE_ROWS_ROLLING_WINDOW_H

#include "core/rows/counter_use.h"

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
    const char *name[2]; /* of its metrics throughput/… and time_ms/…, once
                           rolling_averages.c has made them */
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
/* Begins the next window. */
void swi_rolling_window_next(struct swi_rolling_window *window);

/* Adds a call of each of the steps that end now. It is dropped if there are too many actions.
 * ticks: of all. */
void swi_rolling_window_add(struct swi_rolling_window *window, int action, int64_t ticks,
                            int64_t steps);

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

/* ---- counters -------------------------------------------------------------------------------- */

/* Adds what region number i of the list of a thread's ended regions used, under an action; if it
 * has the sums of several steps, the share of some of them. */
struct swi_some_steps {
    int64_t count, of;
};
void swi_rolling_use_add(struct swi_rolling_window *window, const struct swi_counting *counting,
                         uint32_t i, int action, struct swi_some_steps steps);
/* As swi_row_counter_use_look(), for the sums of a slot. */
void swi_rolling_use_look(struct swi_rolling_window *window, int slot);

/* How many means there are. */
size_t swi_rolling_use_count(const struct swi_rolling_window *window);
/* Returns the mean of a slot per step, or of a peak the largest; NAN: not known. */
double swi_rolling_use_mean(const struct swi_rolling_window *window,
                            const struct swi_rolling_use *use, int slot,
                            const struct swi_counters *counters);

#endif
