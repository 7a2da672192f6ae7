/* SPDX-License-Identifier: MIT */
#include "tools/merge/step_set.h"
#include "tools/log/log_lines.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct step_set *set, int64_t step, int64_t nth, bool train)
{
    uint64_t hash = (uint64_t)step * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= ((uint64_t)nth * 2 + train + 3) * UINT64_C(0xc2b2ae3d27d4eb4f);
    size_t slot = (size_t)((hash ^ (hash >> 29)) % set->room);
    while (set->item[slot].used && (set->item[slot].step != step || set->item[slot].nth != nth ||
                                    set->item[slot].train != train))
        slot = (slot + 1) % set->room;
    return slot;
}

/* Makes room for one more; false without memory. */
static bool grow(struct step_set *set)
{
    if (set->room && 2 * (set->count + 1) < set->room)
        return true;
    struct step_set grown = {.room = set->room ? 2 * set->room : 1024, .count = set->count};
    grown.item = calloc(grown.room, sizeof *grown.item);
    if (!grown.item) {
        set->failed = true;
        return false;
    }
    for (size_t i = 0; i < set->room; i++)
        if (set->item[i].used)
            grown.item[slot_of(&grown, set->item[i].step, set->item[i].nth, set->item[i].train)] =
                set->item[i];
    free(set->item);
    *set = grown;
    return true;
}

static struct step_key *find(struct step_set *set, int64_t step, int64_t nth, bool train, bool add)
{
    if (!grow(set))
        return NULL;
    struct step_key *key = &set->item[slot_of(set, step, nth, train)];
    if (key->used || !add)
        return key->used ? key : NULL;
    *key = (struct step_key){.step = step, .nth = nth, .train = train, .used = true, .log = -1};
    set->count++;
    return key;
}

struct step_key *step_set_next(struct step_set *set, int64_t log, const json_t *line, bool add)
{
    int64_t step = log_integer(line, "step", -1);
    bool train = strcmp(log_string(line, "phase", ""), "train") == 0;
    struct step_key *counter = find(set, step, STEP_COUNTER, train, add);
    if (!counter)
        return NULL;
    if (counter->log != log) {
        counter->log = log;
        counter->count = 0;
    }
    return find(set, step, counter->count++, train, add);
}

static int by_step(const void *a, const void *b)
{
    int64_t first = (*(struct step_key *const *)a)->step;
    int64_t second = (*(struct step_key *const *)b)->step;
    return first < second ? -1 : first > second;
}

size_t step_set_number(struct step_set *set, int64_t logs, size_t *common)
{
    struct step_key **list = calloc(set->count + 1, sizeof(*list));
    size_t columns = 0;
    *common = 0;
    for (size_t i = 0; list && i < set->room; i++) {
        struct step_key *key = &set->item[i];
        bool is_common = key->used && key->nth >= 0 && key->logs == logs;
        *common += is_common;
        if (is_common && key->train && key->nth == 0)
            list[columns++] = key;
    }
    if (!list)
        set->failed = true;
    else
        qsort(list, columns, sizeof *list, by_step);
    for (size_t i = 0; i < columns; i++)
        list[i]->column = i;
    free(list);
    return columns;
}

void step_set_free(struct step_set *set)
{
    free(set->item);
    *set = (struct step_set){0};
}
