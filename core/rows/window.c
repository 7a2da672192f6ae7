/* SPDX-License-Identifier: MIT */
#include "core/rows/window.h"
#include "core/counters/counted_memory.h"
#include "core/process/hot.h"
#include "core/rows/shaped.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 256 };

bool swi_window_init(struct swi_window *window, int64_t length)
{
    *window = (struct swi_window){.length = length, .repeated = -1};
    window->step_samples = calloc((size_t)length, sizeof *window->step_samples);
    window->index = calloc(SWI_ACTIONS, sizeof *window->index);
    return window->step_samples && window->index;
}

void swi_window_fini(struct swi_window *window)
{
    for (size_t i = 0; i < window->count; i++)
        free(window->column[i].cell);
    free(window->column);
    free(window->step_samples);
    free(window->index);
}

void swi_window_reset(struct swi_window *window)
{
    window->pushed = window->slot = 0;
    window->repeated = -1;
    window->samples = 0;
    memset(window->step_samples, 0, (size_t)window->length * sizeof *window->step_samples);
    for (size_t i = 0; i < window->count; i++) {
        struct swi_window_column *column = &window->column[i];
        column->ticks = column->calls = column->step_ticks = column->step_calls = 0;
        memset(column->cell, 0, (size_t)window->length * sizeof *column->cell);
    }
}

static bool window_grow(struct swi_window *window)
{
    if (window->count < window->capacity)
        return true;
    size_t capacity = window->capacity ? 2 * window->capacity : 16;
    struct swi_window_column *column = realloc(window->column, capacity * sizeof *column);
    if (!column)
        return false;
    window->column = column;
    window->capacity = capacity;
    return true;
}

static struct swi_window_column *column_new(struct swi_window *window, int action)
{
    SWI_OWN_MEMORY;
    if (window->count == COLUMNS_MAX || !window_grow(window))
        return NULL;
    struct swi_window_column *column = &window->column[window->count];
    *column = (struct swi_window_column){.action = action};
    column->cell = calloc((size_t)window->length, sizeof *column->cell);
    if (!column->cell)
        return NULL;
    window->index[action] = (int16_t)++window->count;
    return column;
}

/* All shapes of an action share its column. */
struct swi_window_column *swi_window_new(struct swi_window *window, int action)
{
    int base = swi_action_base(action);
    int16_t index = window->index[base];
    struct swi_window_column *column =
        index ? &window->column[index - 1] : column_new(window, base);
    window->index[action] = window->index[base];
    return column;
}

static void column_push(struct swi_window_column *column, int64_t slot)
{
    struct swi_window_cell *cell = &column->cell[slot];
    column->ticks += column->step_ticks - cell->ticks;
    column->calls += column->step_calls - cell->calls;
    cell->ticks = column->step_ticks;
    cell->calls = column->step_calls;
    column->step_ticks = column->step_calls = 0;
}

SWI_HOT_SMALL void swi_window_push(struct swi_window *window, int64_t samples)
{
    int64_t slot = window->slot;
    window->pushed++;
    window->slot = slot + 1 < window->length ? slot + 1 : 0;
    window->samples += samples - window->step_samples[slot];
    window->step_samples[slot] = samples;
    for (size_t i = 0; i < window->count; i++)
        column_push(&window->column[i], slot);
}

/* Usually an action is called once in a step, and no search is needed. */
int64_t swi_window_steps(const struct swi_window *window, const struct swi_window_column *column)
{
    if (window->repeated < 0 || window->pushed - window->repeated > window->length)
        return column->calls;
    int64_t steps = 0;
    for (int64_t slot = 0; slot < window->length; slot++)
        steps += column->cell[slot].calls > 0;
    return steps;
}

struct swi_window_column *swi_window_get(const struct swi_window *window, int action)
{
    int16_t index = window->index[action];
    struct swi_window_column *column = index ? &window->column[index - 1] : NULL;
    return column && column->calls ? column : NULL;
}
