/* SPDX-License-Identifier: MIT */
#include "core/rows/rolling_window.h"
#include "core/rows/shaped_actions.h"

#include <stdlib.h>

enum { COLUMNS_MAX = 256 };

bool swi_rolling_window_init(struct swi_rolling_window *window, int64_t length, int64_t lead)
{
    *window = (struct swi_rolling_window){.length = length, .lead = lead, .left = lead};
    window->column = aligned_alloc(_Alignof(struct swi_rolling_column),
                                   COLUMNS_MAX * sizeof(struct swi_rolling_column));
    window->index = calloc(SWI_ACTIONS, sizeof *window->index);
    return window->column && window->index;
}

void swi_rolling_window_fini(struct swi_rolling_window *window)
{
    free(window->column);
    free(window->index);
}

void swi_rolling_window_next(struct swi_rolling_window *window)
{
    window->left = window->length;
    window->samples = 0;
    for (size_t i = 0; i < window->count; i++) {
        struct swi_rolling_column *column = &window->column[i];
        column->ticks = column->calls = column->steps = 0;
    }
}

void swi_rolling_window_reset(struct swi_rolling_window *window)
{
    swi_rolling_window_next(window);
    window->pushed = 0;
    window->left = window->lead;
    for (size_t i = 0; i < window->count; i++)
        window->column[i].step = -1;
}

/* Columns beyond those that exist are not touched, so they take no memory. */
static struct swi_rolling_column *column_new(struct swi_rolling_window *window, int action)
{
    if (window->count == COLUMNS_MAX)
        return NULL;
    struct swi_rolling_column *column = &window->column[window->count];
    *column = (struct swi_rolling_column){.action = action, .step = -1};
    window->index[action] = (int16_t)++window->count;
    return column;
}

/* All shapes of an action share its column. */
struct swi_rolling_column *swi_rolling_window_new(struct swi_rolling_window *window, int action)
{
    int base = swi_action_base(action);
    int16_t index = window->index[base];
    struct swi_rolling_column *column =
        index ? &window->column[index - 1] : column_new(window, base);
    window->index[action] = window->index[base];
    return column;
}

struct swi_rolling_column *swi_rolling_window_get(const struct swi_rolling_window *window,
                                                  int action)
{
    int16_t index = window->index[action];
    struct swi_rolling_column *column = index ? &window->column[index - 1] : NULL;
    return column && column->calls ? column : NULL;
}
