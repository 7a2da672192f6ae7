/* SPDX-License-Identifier: MIT */
/* window.h - sums over the newest N training steps, for each action. They are integers, so removing
 * a step is exact. */
#ifndef CORE_ROWS_WINDOW_H
#define CORE_ROWS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One action in the window. */
struct swi_window_column {
    int action;
    const char *name[2]; /* of its metrics throughput/… and time_ms/…, once emit.c has made them */
    int64_t ticks;       /* sum over the window */
    int64_t calls;
    int64_t step_ticks; /* of the step that is being added */
    int64_t step_calls;
    struct swi_window_cell {
        int64_t ticks;
        int64_t calls;
    } * cell; /* a ring of N */
};

struct swi_window {
    int64_t length; /* N */
    int64_t pushed; /* steps so far */
    int64_t slot;   /* index of the next step in the rings: pushed modulo length */
    int64_t samples;
    int64_t repeated; /* `pushed` before the last step in which an action ran twice, or -1 */
    int64_t *step_samples;
    size_t count;
    size_t capacity;
    struct swi_window_column *column;
    int16_t *index; /* by action: column + 1, or 0; it has SWI_ACTIONS entries */
};

bool swi_window_init(struct swi_window *window, int64_t length);
void swi_window_fini(struct swi_window *window);
void swi_window_reset(struct swi_window *window);

/* Adds a column for an action. Returns NULL if out of memory. */
struct swi_window_column *swi_window_new(struct swi_window *window, int action);

/* Adds a call of the step that ends now. It is dropped if there is no memory for its column.
 * Returns whether the step may already have had a call of this action. */
static inline bool swi_window_add(struct swi_window *window, int action, int64_t ticks)
{
    int16_t index = window->index[action];
    struct swi_window_column *column =
        index ? &window->column[index - 1] : swi_window_new(window, action);
    if (!column)
        return true;
    column->step_ticks += ticks;
    return ++column->step_calls > 1;
}

/* Removes a call that was added. */
static inline void swi_window_take_back(struct swi_window *window, int action, int64_t ticks)
{
    int16_t index = window->index[action];
    if (!index)
        return;
    window->column[index - 1].step_ticks -= ticks;
    window->column[index - 1].step_calls--;
}

/* Returns in how many steps of the window an action was called. */
int64_t swi_window_steps(const struct swi_window *window, const struct swi_window_column *column);

/* Ends the step and removes the oldest one. */
void swi_window_push(struct swi_window *window, int64_t samples);

/* Returns the column of an action that has calls in the window, or NULL. */
struct swi_window_column *swi_window_get(const struct swi_window *window, int action);

#endif
