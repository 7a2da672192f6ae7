/* SPDX-License-Identifier: MIT */
#include "core/rows/rolling_counter_use.h"
#include "core/counters/counted_memory.h"
#include "core/rows/action.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

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

void swi_rolling_counter_use_add(struct swi_rolling_counter_use *counts,
                                 const struct swi_counting *counting, uint32_t i, int action)
{
    struct swi_rolling_action *item = swi_rolling_action(counts, action);
    for (int slot = 0; item && slot < counting->active; slot++) {
        int64_t total, self;
        if (!swi_counter_use_of_ended(counting, i, slot, &total, &self) || total == SW_COUNTER_NONE)
            continue;
        if (swi_counters_kind(counting->counters, slot) == SW_COUNTER_SUM)
            item->sum[slot] = (int64_t)((uint64_t)item->sum[slot] + (uint64_t)total);
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
