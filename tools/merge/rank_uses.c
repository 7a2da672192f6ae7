/* SPDX-License-Identifier: MIT */
#include "tools/merge/rank_uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t index_of(const struct rank_uses *uses, int name)
{
    size_t i = 0;
    while (i < uses->count && uses->counter[i].name != name)
        i++;
    return i;
}

const struct merged_counter *rank_uses_find(const struct rank_uses *uses, int name)
{
    size_t i = index_of(uses, name);
    return i < uses->count ? &uses->counter[i] : NULL;
}

const struct merged_counter *rank_uses_get(struct rank_uses *uses, int name)
{
    size_t i = index_of(uses, name);
    if (i < uses->count)
        return &uses->counter[i];
    struct merged_counter *grown =
        realloc(uses->counter, (uses->count + 1) * sizeof *uses->counter);
    if (!grown)
        return NULL;
    uses->counter = grown;
    grown[uses->count] = (struct merged_counter){.name = name};
    return &grown[uses->count++];
}

static bool order_room(struct rank_uses *uses)
{
    size_t *grown = realloc(uses->order, (uses->named + 1) * sizeof *grown);
    if (!grown)
        return false;
    uses->order = grown;
    return true;
}

bool rank_uses_name(struct rank_uses *uses, struct name_table *names,
                    const struct log_value *counter)
{
    int name = names_add(names, log_string(counter, "name", ""));
    if (name < 0 || !rank_uses_get(uses, name) || !order_room(uses))
        return false;
    size_t i = index_of(uses, name);
    snprintf(uses->counter[i].unit, sizeof uses->counter[i].unit, "%s",
             log_string(counter, "unit", ""));
    uses->counter[i].peak = strcmp(log_string(counter, "kind", ""), "peak") == 0;
    uses->order[uses->named++] = i;
    return true;
}

bool rank_uses_begin(struct rank_uses *uses, struct name_table *names,
                     const struct log_value *named)
{
    uses->named = 0;
    for (const struct log_value *c = log_first(named); c; c = log_after(named, c))
        if (!rank_uses_name(uses, names, c))
            return false;
    return true;
}

const struct merged_counter *rank_uses_at(const struct rank_uses *uses, size_t index)
{
    return index < uses->named ? &uses->counter[uses->order[index]] : NULL;
}

void rank_uses_add(struct rank_uses *uses, int phase, int action,
                   const struct merged_counter *counter, int64_t total)
{
    struct merged_row *row = merged_rows_get(&uses->rows, phase, action, counter->name);
    if (!row)
        return;
    if (!counter->peak)
        row->of_rank = (int64_t)((uint64_t)row->of_rank + (uint64_t)total);
    else if (!row->calls_of_rank || total > row->of_rank)
        row->of_rank = total;
    row->calls_of_rank++;
    row->calls++;
}

void rank_uses_free(struct rank_uses *uses)
{
    merged_rows_free(&uses->rows);
    free(uses->counter);
    free(uses->order);
    *uses = (struct rank_uses){.rows = {.first = -1}};
}
