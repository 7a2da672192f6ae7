/* SPDX-License-Identifier: MIT */
/* window.h - sums over the newest N training steps, action by action. Integers: what left is gone
 * to the tick. */
#ifndef CORE_ROWS_WINDOW_H
#define CORE_ROWS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One action in the window. */
struct swi_window_column {
    int action;
    const char *name[2]; /* of its metrics throughput/… and time_ms/…, once emit.c made them */
    int64_t ticks;       /* sum over the window */
    int64_t calls;
    int64_t step_ticks; /* of the step that is being pushed */
    int64_t step_calls;
    struct swi_window_cell {
        int64_t ticks;
        int64_t calls;
    } * cell; /* N of them, a ring */
};

struct swi_window {
    int64_t length; /* N */
    int64_t pushed; /* steps so far */
    int64_t slot;   /* of the next one in the rings: pushed modulo length */
    int64_t samples;
    int64_t repeated; /* `pushed` before the last step in which an action ran twice; -1: none */
    int64_t *step_samples;
    size_t count;
    size_t capacity;
    struct swi_window_column *column;
    int16_t *index; /* by action: column + 1, or 0; SWI_ACTIONS of them */
};

bool swi_window_init(struct swi_window *window, int64_t length);
void swi_window_fini(struct swi_window *window);
void swi_window_reset(struct swi_window *window);

/* The column of an action's first call. NULL without memory. */
struct swi_window_column *swi_window_new(struct swi_window *window, int action);

/* Adds a call of the step that ends now. Without memory for its column it is left out. Returns
 * whether the step may have had one before. */
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

/* Takes a call back. */
static inline void swi_window_take_back(struct swi_window *window, int action, int64_t ticks)
{
    int16_t index = window->index[action];
    if (!index)
        return;
    window->column[index - 1].step_ticks -= ticks;
    window->column[index - 1].step_calls--;
}

/* In how many steps of the window an action was called. */
int64_t swi_window_steps(const struct swi_window *window, const struct swi_window_column *column);

/* Ends the step: the oldest leaves. */
void swi_window_push(struct swi_window *window, int64_t samples);

/* The column of an action with calls in the window, or NULL. */
struct swi_window_column *swi_window_get(const struct swi_window *window, int action);

#endif
