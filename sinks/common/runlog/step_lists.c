/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/step_lists.h"
#include "core/text/map.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>

/* Returns whether every action has a single call. Then no search is needed. */
static bool are_single(const struct sw_step *step)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < step->count; i++) {
        int action = sw_step_part_at(step, i)->action_id;
        if (action < 0 || action > 63 || (seen >> action & 1))
            return false;
        seen |= UINT64_C(1) << action;
    }
    return true;
}

bool swi_step_lists_init(struct swi_step_lists *lists, const struct sw_step *step)
{
    struct swi_map map = {0};
    size_t *newest = NULL; /* part of each list, from 1 */
    *lists = (struct swi_step_lists){.step = step};
    if (are_single(step))
        return true;
    lists->part = calloc(step->count, sizeof *lists->part);
    bool fine = lists->part;
    for (size_t i = 0; fine && i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        const int list[2] = {part->action_id, part->inner};
        size_t *before = swi_map_item(&map, &newest, sizeof *newest, list, sizeof list);
        fine = before != NULL;
        if (!fine)
            break;
        lists->part[i].later = *before > 0;
        if (*before)
            lists->part[*before - 1].next = i;
        *before = i + 1;
    }
    free(newest);
    swi_map_free(&map);
    if (!fine)
        swi_step_lists_fini(lists);
    return fine;
}

void swi_step_lists_fini(struct swi_step_lists *lists)
{
    free(lists->part);
    lists->part = NULL;
}
