/* SPDX-License-Identifier: MIT */
#include "core/report/replayed_costs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool room_make(struct swi_replayed_costs *costs)
{
    if (costs->count < costs->room)
        return true;
    size_t room = costs->room ? 2 * costs->room : 8;
    struct swi_replayed_cost *grown = realloc(costs->item, room * sizeof *grown);
    if (!grown)
        return false;
    costs->item = grown;
    costs->room = room;
    return true;
}

void swi_replayed_costs_add(struct swi_replayed_costs *costs, const struct swi_replayed_cost *cost)
{
    size_t at = costs->count;
    while (at && costs->item[at - 1].fit > cost->fit)
        at--;
    if (at && costs->item[at - 1].fit == cost->fit) {
        costs->item[at - 1] = *cost;
    } else if (room_make(costs)) {
        memmove(costs->item + at + 1, costs->item + at, (costs->count++ - at) * sizeof *cost);
        costs->item[at] = *cost;
    }
}

static int compare(const void *a, const void *b)
{
    const struct swi_replayed_cost *x = a, *y = b;
    return (x->fit > y->fit) - (x->fit < y->fit);
}

struct swi_replayed_cost swi_replayed_costs_of(const struct swi_replayed_costs *costs, int fit)
{
    struct swi_replayed_cost unknown = {fit, NAN, 0}, *found = NULL;
    if (costs->count)
        found = bsearch(&unknown, costs->item, costs->count, sizeof unknown, compare);
    return found ? *found : unknown;
}

void swi_replayed_costs_fini(struct swi_replayed_costs *costs)
{
    free(costs->item);
    *costs = (struct swi_replayed_costs){0};
}
