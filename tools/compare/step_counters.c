/* SPDX-License-Identifier: MIT */
#include "tools/compare/step_counters.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct step_counter *item, enum sw_phase phase, int action,
                    const struct sw_counter_info *counter)
{
    return item->phase == phase && item->action_id == action &&
           strcmp(item->name, counter->name) == 0;
}

static struct step_counter *item_new(struct step_counters *counters)
{
    struct step_counter *grown =
        realloc(counters->item, (counters->count + 1) * sizeof *counters->item);
    if (!grown)
        return NULL;
    counters->item = grown;
    return memset(&grown[counters->count++], 0, sizeof *grown);
}

static struct step_counter *item_get(struct step_counters *counters, enum sw_phase phase,
                                     int action, const struct sw_counter_info *counter)
{
    for (size_t i = 0; i < counters->count; i++)
        if (is_same(&counters->item[i], phase, action, counter))
            return &counters->item[i];
    char *name = strdup(counter->name), *unit = strdup(counter->unit);
    struct step_counter *item = name && unit ? item_new(counters) : NULL;
    if (!item) {
        free(name);
        free(unit);
        return NULL;
    }
    *item = (struct step_counter){.phase = phase,
                                  .action_id = action,
                                  .action = sw_action_name(action),
                                  .name = name,
                                  .unit = unit,
                                  .kind = counter->kind};
    return item;
}

static void use_add(struct step_counter *item, int64_t value)
{
    item->missed = item->missed || value == SW_COUNTER_NONE;
    if (value == SW_COUNTER_NONE)
        return;
    if (item->kind == SW_COUNTER_SUM)
        item->sum = (int64_t)((uint64_t)item->sum + (uint64_t)value);
    else if (!item->any || value > item->sum)
        item->sum = value;
    item->any = true;
}

static bool part_take(struct step_counters *counters, enum sw_phase phase,
                      const struct sw_step_part *part, int action)
{
    for (size_t i = 0; i < part->use_count; i++) {
        const struct sw_counter_use *use = sw_step_part_use(part, i);
        struct step_counter *item = item_get(counters, phase, action, use->counter);
        if (!item)
            return false;
        use_add(item, use->value);
    }
    return true;
}

/* Steps that came before the first call of the action had none of it. */
static void fill_up(struct step_counter *item, int64_t steps)
{
    while (item->use.count + item->unknown < steps)
        means_add(&item->use, 0);
}

static void step_end(struct step_counters *counters, enum sw_phase phase, int64_t before)
{
    for (size_t i = 0; i < counters->count; i++) {
        struct step_counter *item = &counters->item[i];
        if (item->phase != phase)
            continue;
        fill_up(item, before);
        if (item->missed)
            item->unknown++;
        else
            means_add(&item->use, (double)item->sum);
        item->any = item->missed = false;
        item->sum = 0;
    }
}

int step_counters_take(struct step_counters *counters, const struct sw_step *step, int64_t before,
                       struct sw_error *err)
{
    bool fine = true;
    for (size_t i = 0; fine && i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        bool whole = part->action_id == SW_DRAW || part->action_id == SW_BATCH;
        if (part->inner)
            continue;
        fine = (!whole || part_take(counters, step->phase, part, SW_STEP)) &&
               part_take(counters, step->phase, part, part->action_id);
    }
    step_end(counters, step->phase, before);
    return fine ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory for the counters");
}

/* Sorts the whole step before its parts, and the counters by name. */
static int by_phase(const void *a, const void *b)
{
    const struct step_counter *x = a, *y = b;
    int first = x->action_id == SW_STEP ? -1 : x->action_id;
    int second = y->action_id == SW_STEP ? -1 : y->action_id;
    if (x->phase != y->phase)
        return (x->phase > y->phase) - (x->phase < y->phase);
    return first != second ? (first > second) - (first < second) : strcmp(x->name, y->name);
}

void step_counters_finish(struct step_counters *counters, const int64_t *steps)
{
    for (size_t i = 0; i < counters->count; i++)
        fill_up(&counters->item[i], steps[counters->item[i].phase]);
    if (counters->count)
        qsort(counters->item, counters->count, sizeof *counters->item, by_phase);
}

void step_counters_free(struct step_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        free(counters->item[i].name);
        free(counters->item[i].unit);
    }
    free(counters->item);
    *counters = (struct step_counters){0};
}
