/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/counter_uses.h"

#include <stdlib.h>
#include <string.h>

static struct swi_counted *counter_get(struct swi_uses *uses, uint32_t name, bool is_peak)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->counter[i].name == name && uses->counter[i].is_peak == is_peak)
            return &uses->counter[i];
    if (uses->count == SWI_USES_MOST)
        return NULL;
    uses->counter[uses->count] = (struct swi_counted){.name = name, .is_peak = is_peak};
    return &uses->counter[uses->count++];
}

static void lose(struct swi_uses *uses, size_t counter, size_t depth)
{
    for (size_t i = 0; i < depth && i < uses->depth; i++)
        uses->start[i].lost[counter] = true;
}

void swi_uses_add(struct swi_uses *uses, uint32_t name, bool is_peak, bool known, int64_t value,
                  size_t depth)
{
    struct swi_counted *counter = counter_get(uses, name, is_peak);
    if (!counter)
        return;
    if (!known && !is_peak)
        lose(uses, (size_t)(counter - uses->counter), depth);
    if (!known)
        return;
    counter->any = true;
    counter->value = is_peak ? value : (int64_t)((uint64_t)counter->value + (uint64_t)value);
}

bool swi_uses_begin(struct swi_uses *uses, size_t depth)
{
    if (depth >= uses->depth) {
        size_t room = 2 * depth + 8;
        struct swi_use_start *grown = realloc(uses->start, room * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + uses->depth, 0, (room - uses->depth) * sizeof *grown);
        uses->start = grown;
        uses->depth = room;
    }
    struct swi_use_start *start = &uses->start[depth];
    memset(start, 0, sizeof *start);
    for (size_t i = 0; i < uses->count; i++)
        start->value[i] = uses->counter[i].value;
    return true;
}

void swi_uses_end(struct swi_uses *uses, size_t depth)
{
    static const struct swi_use_start nothing;
    const struct swi_use_start *start = depth < uses->depth ? &uses->start[depth] : &nothing;
    uses->found = 0;
    for (size_t i = 0; i < uses->count; i++) {
        struct swi_counted *counter = &uses->counter[i];
        int64_t use = counter->is_peak
                          ? counter->value
                          : (int64_t)((uint64_t)counter->value - (uint64_t)start->value[i]);
        bool has = counter->is_peak ? counter->any : use != 0 && !start->lost[i];
        if (has)
            uses->use[uses->found++] = (struct swi_region_use){counter->name, use};
        if (counter->is_peak)
            counter->any = false;
    }
}

int64_t swi_uses_value(const struct swi_uses *uses, uint32_t name)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->counter[i].name == name && !uses->counter[i].is_peak)
            return uses->counter[i].value;
    return 0;
}

void swi_uses_free(struct swi_uses *uses)
{
    if (uses)
        free(uses->start);
    free(uses);
}
