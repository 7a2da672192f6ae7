/* SPDX-License-Identifier: MIT */
#include "core/rows/rolling_counts.h"
#include "core/counters/counted_memory.h"
#include "core/rows/action.h"

#include <stdlib.h>
#include <string.h>

enum { ACTIONS_MAX = 256 };

static bool room_make(struct swi_window_counts *counts)
{
    if (!counts->index)
        counts->index = calloc(SWI_ACTIONS, sizeof *counts->index);
    if (!counts->index || counts->count == ACTIONS_MAX)
        return false;
    struct swi_window_action *grown =
        realloc(counts->item, (counts->count + 1) * sizeof *counts->item);
    if (grown)
        counts->item = grown;
    return grown != NULL;
}

struct swi_window_action *swi_window_action_new(struct swi_window_counts *counts, int action)
{
    SWI_OWN_MEMORY;
    if (!room_make(counts))
        return NULL;
    struct swi_window_action *item = &counts->item[counts->count++];
    *item = (struct swi_window_action){.action = action};
    counts->index[action] = (int16_t)counts->count;
    return item;
}

void swi_window_counts_add(struct swi_window_counts *counts, const struct swi_counting *counting,
                           uint32_t i, int action)
{
    struct swi_window_action *item = swi_window_action(counts, action);
    for (int slot = 0; item && slot < counting->active; slot++) {
        int64_t total, self;
        if (!swi_counts_of_ended(counting, i, slot, &total, &self) || total == SW_COUNTER_NONE)
            continue;
        if (swi_counters_kind(counting->counters, slot) == SW_COUNTER_SUM)
            item->sum[slot] += total;
        else if (total > item->sum[slot])
            item->sum[slot] = total;
        item->has[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

void swi_window_counts_reset(struct swi_window_counts *counts)
{
    counts->steps = 0;
    for (size_t i = 0; i < counts->count; i++)
        counts->item[i] = (struct swi_window_action){.action = counts->item[i].action};
}

void swi_window_counts_free(struct swi_window_counts *counts)
{
    free(counts->item);
    free(counts->index);
    *counts = (struct swi_window_counts){0};
}

size_t swi_window_counts_size(const struct swi_window_counts *counts)
{
    size_t size = 0;
    for (size_t i = 0; i < counts->count; i++)
        size += (size_t)__builtin_popcountll(counts->item[i].has[0]) +
                (size_t)__builtin_popcountll(counts->item[i].has[1]);
    return size;
}

bool swi_window_counts_get(const struct swi_window_counts *counts, size_t i, int slot,
                           enum sw_counter_kind kind, double *mean)
{
    const struct swi_window_action *item = &counts->item[i];
    if (!(item->has[slot / 64] >> slot % 64 & 1) || !counts->steps)
        return false;
    double steps = kind == SW_COUNTER_SUM ? (double)counts->steps : 1;
    *mean = (double)item->sum[slot] / steps;
    return true;
}
