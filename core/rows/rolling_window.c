/* SPDX-License-Identifier: MIT */
#include "core/rows/rolling_window.h"
#include "core/counters/counted_memory.h"
#include "core/rows/action.h"
#include "core/rows/row.h"

#include <math.h>
#include <stdlib.h>

bool swi_rolling_window_init(struct swi_rolling_window *window, int64_t length, int64_t lead)
{
    *window = (struct swi_rolling_window){.length = length, .lead = lead, .left = lead};
    window->column = calloc(SWI_ROLLING_COLUMNS, sizeof *window->column);
    window->index = calloc(SWI_ACTIONS, sizeof *window->index);
    return window->column && window->index;
}

void swi_rolling_window_fini(struct swi_rolling_window *window)
{
    for (size_t i = 0; i < window->count; i++)
        free(window->column[i].use);
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
        if (column->use)
            *column->use = (struct swi_rolling_use){.has = {0}};
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
static int16_t column_new(struct swi_rolling_window *window, int action)
{
    if (window->count == SWI_ROLLING_COLUMNS)
        return 0;
    window->column[window->count++] = (struct swi_rolling_column){.action = action, .step = -1};
    return (int16_t)window->count;
}

/* Returns the column of an action, which all its shapes share; NULL if there are too many. */
static struct swi_rolling_column *column_of(struct swi_rolling_window *window, int action)
{
    int16_t *index = &window->index[action], *base = &window->index[swi_action_base(action)];
    if (!*index && !*base)
        *base = column_new(window, swi_action_base(action));
    *index = *base;
    return *index ? &window->column[*index - 1] : NULL;
}

void swi_rolling_window_add(struct swi_rolling_window *window, int action, int64_t ticks,
                            int64_t steps)
{
    struct swi_rolling_column *column = column_of(window, action);
    if (!column)
        return;
    column->steps += column->step != window->pushed ? steps : 0;
    column->step = window->pushed;
    column->ticks += ticks;
    column->calls += steps;
}

struct swi_rolling_column *swi_rolling_window_get(const struct swi_rolling_window *window,
                                                  int action)
{
    int16_t index = window->index[action];
    struct swi_rolling_column *column = index ? &window->column[index - 1] : NULL;
    return column && column->calls ? column : NULL;
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Returns NULL if out of memory, or if there are too many actions. */
static struct swi_rolling_use *use_of(struct swi_rolling_window *window, int action)
{
    SWI_OWN_MEMORY;
    struct swi_rolling_column *column = column_of(window, action);
    if (column && !column->use && (column->use = calloc(1, sizeof *column->use)))
        window->counted_column[window->counted++] = (int16_t)(column - window->column);
    return column ? column->use : NULL;
}

__extension__ typedef __int128 wide;

static int64_t share_of(int64_t total, struct swi_some_steps steps)
{
    return steps.count == steps.of ? total : (int64_t)((wide)total * steps.count / steps.of);
}

void swi_rolling_use_add(struct swi_rolling_window *window, const struct swi_counting *counting,
                         uint32_t i, int action, struct swi_some_steps steps)
{
    struct swi_rolling_use *use = use_of(window, action);
    for (int slot = 0; use && slot < counting->active; slot++) {
        int64_t total, self;
        if (!swi_counter_use_of_ended(counting, i, slot, &total, &self) || total == SW_COUNTER_NONE)
            continue;
        if (swi_counters_kind(counting->counters, slot) == SW_COUNTER_SUM)
            use->sum[slot] = swi_ticks_sum(use->sum[slot], share_of(total, steps));
        else if (total > use->sum[slot])
            use->sum[slot] = total;
        use->has[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

void swi_rolling_use_look(struct swi_rolling_window *window, int slot)
{
    for (size_t i = 0; i < window->counted; i++) {
        struct swi_rolling_use *use = window->column[window->counted_column[i]].use;
        if (use->sum[slot] < 0)
            use->full[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

size_t swi_rolling_use_count(const struct swi_rolling_window *window)
{
    size_t count = 0;
    for (size_t i = 0; i < window->counted; i++) {
        const struct swi_rolling_use *use = window->column[window->counted_column[i]].use;
        count += (size_t)(__builtin_popcountll(use->has[0]) + __builtin_popcountll(use->has[1]));
    }
    return count;
}

double swi_rolling_use_mean(const struct swi_rolling_window *window,
                            const struct swi_rolling_use *use, int slot,
                            const struct swi_counters *counters)
{
    uint64_t known = use->has[slot / 64] & ~use->full[slot / 64];
    if (!(known >> slot % 64 & 1))
        return NAN;
    bool peak = swi_counters_kind(counters, slot) != SW_COUNTER_SUM;
    double sum = swi_counters_may_fall(counters, slot) ? (double)use->sum[slot]
                                                       : (double)(uint64_t)use->sum[slot];
    return peak ? sum : sum / (double)window->length;
}
