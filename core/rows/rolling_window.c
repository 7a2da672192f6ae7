/* SPDX-License-Identifier: MIT */
#include "core/rows/rolling_window.h"
#include "core/counters/counted_memory.h"
#include "core/rows/action.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

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

enum { ACTIONS_MAX = 256 };

static bool room_make(struct swi_rolling_counter_use *counts)
{
    if (!counts->index)
        counts->index = calloc(SWI_ACTIONS, sizeof *counts->index);
    if (!counts->index || counts->count == ACTIONS_MAX)
        return false;
    return swi_vec_room(&counts->item, (size_t)counts->count, sizeof *counts->item);
}

struct swi_rolling_action *swi_rolling_action_new(struct swi_rolling_counter_use *counts,
                                                  int action)
{
    SWI_OWN_MEMORY;
    if (!room_make(counts))
        return NULL;
    struct swi_rolling_action *item = &counts->item[counts->count++];
    *item = (struct swi_rolling_action){.action = action};
    counts->index[action] = (int16_t)counts->count;
    return item;
}

__extension__ typedef __int128 wide;

static int64_t share_of(int64_t total, struct swi_some_steps steps)
{
    return steps.count == steps.of ? total : (int64_t)((wide)total * steps.count / steps.of);
}

void swi_rolling_counter_use_add(struct swi_rolling_counter_use *counts,
                                 const struct swi_counting *counting, uint32_t i, int action,
                                 struct swi_some_steps steps)
{
    struct swi_rolling_action *item = swi_rolling_action(counts, action);
    for (int slot = 0; item && slot < counting->active; slot++) {
        int64_t total, self;
        if (!swi_counter_use_of_ended(counting, i, slot, &total, &self) || total == SW_COUNTER_NONE)
            continue;
        if (swi_counters_kind(counting->counters, slot) == SW_COUNTER_SUM)
            item->sum[slot] =
                (int64_t)((uint64_t)item->sum[slot] + (uint64_t)share_of(total, steps));
        else if (total > item->sum[slot])
            item->sum[slot] = total;
        item->has[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

void swi_rolling_counter_use_look(struct swi_rolling_counter_use *counts, int slot)
{
    for (size_t i = 0; i < counts->count; i++)
        if (counts->item[i].sum[slot] < 0)
            counts->item[i].full[slot / 64] |= UINT64_C(1) << slot % 64;
}

void swi_rolling_counter_use_reset(struct swi_rolling_counter_use *counts)
{
    counts->steps = 0;
    for (size_t i = 0; i < counts->count; i++)
        counts->item[i] = (struct swi_rolling_action){.action = counts->item[i].action};
}

void swi_rolling_counter_use_free(struct swi_rolling_counter_use *counts)
{
    free(counts->item);
    free(counts->index);
    *counts = (struct swi_rolling_counter_use){0};
}

size_t swi_rolling_counter_use_size(const struct swi_rolling_counter_use *counts)
{
    size_t size = 0;
    for (size_t i = 0; i < counts->count; i++)
        size += (size_t)__builtin_popcountll(counts->item[i].has[0]) +
                (size_t)__builtin_popcountll(counts->item[i].has[1]);
    return size;
}

bool swi_rolling_counter_use_get(const struct swi_rolling_counter_use *counts, size_t i, int slot,
                                 const struct swi_counters *counters, double *mean)
{
    const struct swi_rolling_action *item = &counts->item[i];
    if (!(item->has[slot / 64] >> slot % 64 & 1) || !counts->steps)
        return false;
    bool full = item->full[slot / 64] >> slot % 64 & 1;
    double steps = swi_counters_kind(counters, slot) == SW_COUNTER_SUM ? (double)counts->steps : 1;
    double sum = swi_counters_may_fall(counters, slot) ? (double)item->sum[slot]
                                                       : (double)(uint64_t)item->sum[slot];
    *mean = sum / steps;
    return !full;
}
