/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/region_coverage.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST = 16, MOST = 4096 };

static bool room_make(struct swi_region_coverage *coverage)
{
    if (coverage->count < coverage->room || coverage->room == MOST)
        return true;
    size_t room = coverage->room ? 2 * coverage->room : FIRST;
    struct swi_cover *item = realloc(coverage->item, room * sizeof *item);
    if (!item)
        return false;
    coverage->item = item;
    coverage->room = room;
    return true;
}

void swi_region_coverage_add(struct swi_region_coverage *coverage, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns - begin_ns >= 2 && room_make(coverage))
        coverage->item[coverage->count++ & (coverage->room - 1)] =
            (struct swi_cover){begin_ns, end_ns};
}

const struct swi_cover *swi_region_coverage_find(const struct swi_region_coverage *coverage,
                                                 int64_t time_ns)
{
    size_t oldest = coverage->count > coverage->room ? coverage->count - coverage->room : 0;
    size_t low = oldest,
           high = coverage->count; /* the last one that begins at or before the time */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (coverage->item[middle & (coverage->room - 1)].begin_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == oldest)
        return NULL;
    const struct swi_cover *cover = &coverage->item[(low - 1) & (coverage->room - 1)];
    return time_ns <= cover->end_ns ? cover : NULL;
}

void swi_region_coverage_free(struct swi_region_coverage *coverage)
{
    free(coverage->item);
    *coverage = (struct swi_region_coverage){0};
}
