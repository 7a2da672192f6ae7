/* SPDX-License-Identifier: MIT */
#include "tools/log/metric_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns NULL if out of memory. */
static struct metric_series *series_of(struct metric_list *list, const char *name)
{
    struct metric_series *series =
        swi_map_item(&list->names, &list->item, sizeof *series, name, strlen(name));
    if (!series || series->point)
        return series;
    *series = (struct metric_series){.name = list->names.name[series - list->item].text,
                                     .each = 1,
                                     .point = calloc(METRIC_POINTS, sizeof *series->point)};
    if (!series->point)
        swi_map_undo(&list->names);
    return series->point ? series : NULL;
}

/* Joins each two points. */
static void halve(struct metric_series *series)
{
    for (size_t i = 0; i < METRIC_POINTS / 2; i++) {
        const struct metric_point *two = &series->point[2 * i];
        series->point[i] = (struct metric_point){(two[0].step + two[1].step) / 2,
                                                 (two[0].value + two[1].value) / 2};
    }
    series->count = METRIC_POINTS / 2;
    series->each *= 2;
    series->in_last = series->each;
}

void metric_list_add(struct metric_list *list, const char *name, double step, double value)
{
    struct metric_series *series = series_of(list, name);
    if (!series)
        return;
    series->last = value;
    if (!isfinite(value)) {
        series->not_finite++;
        return;
    }
    if (series->count == METRIC_POINTS && series->in_last == series->each)
        halve(series);
    if (!series->count || series->in_last == series->each) {
        series->count++;
        series->in_last = 0;
        series->point[series->count - 1] = (struct metric_point){0, 0};
    }
    struct metric_point *point = &series->point[series->count - 1];
    double share = 1 / (double)++series->in_last;
    point->step += (step - point->step) * share;
    point->value += (value - point->value) * share;
    series->seen++;
}

void metric_list_free(struct metric_list *list)
{
    for (size_t i = 0; i < list->names.count; i++)
        free(list->item[i].point);
    free(list->item);
    swi_map_free(&list->names);
    *list = (struct metric_list){0};
}
