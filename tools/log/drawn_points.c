/* SPDX-License-Identifier: MIT */
/* drawn_points.c - the steps and the metrics of a run as the points that a page draws. */
#include "tools/log/collect.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics --------------------------------------------------------------------------------- */

/* The most points that are stored of a name. */
enum { METRIC_POINTS = 1024 };

void metric_list_add(struct metric_list *list, const char *name, double step, double value)
{
    struct metric_series *series =
        swi_map_item(&list->names, &list->item, sizeof *series, name, strlen(name));
    if (!series)
        return;
    series->name = list->names.name[series - list->item].text;
    series->last = value;
    if (isfinite(value))
        series->seen += swi_curve_add(&series->values, METRIC_POINTS, step, value);
    else
        series->not_finite++;
}

void metric_list_free(struct metric_list *list)
{
    for (size_t i = 0; i < list->names.count; i++)
        swi_curve_free(&list->item[i].values);
    free(list->item);
    swi_map_free(&list->names);
    *list = (struct metric_list){0};
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A fixed sequence, so that the same log gives the same page: the quick generator of Numerical
 * Recipes. */
static uint32_t random_next(struct steps *steps)
{
    steps->random = steps->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return steps->random >> 8;
}

/* Chooses at random, so that events at every second step are neither all kept nor all lost. */
static void thin(struct steps *steps)
{
    for (size_t i = 0; i < steps->count / 2; i++)
        steps->item[i] = steps->item[2 * i + random_next(steps) % 2];
    steps->count /= 2;
    steps->every *= 2;
}

static bool room(struct steps *steps)
{
    if (!steps->item) {
        steps->item = malloc(STEPS_STORED * sizeof *steps->item);
        steps->every = 1;
    }
    if (steps->count == STEPS_STORED)
        thin(steps);
    steps->failed = steps->failed || !steps->item;
    return !steps->failed;
}

void steps_add(struct steps *steps, int64_t step, int64_t count, double rate)
{
    while (count > 0 && room(steps)) {
        int64_t place = steps->seen % steps->every, left = steps->every - place;
        int64_t some = count < left ? count : left;
        if (place == 0)
            steps->chosen = random_next(steps) % steps->every;
        if (steps->chosen >= place && steps->chosen < place + some)
            steps->item[steps->count++] =
                (struct stored_step){step - (count - 1) + (steps->chosen - place), rate};
        steps->seen += some;
        count -= some;
    }
}

void steps_free(struct steps *steps)
{
    free(steps->item);
    *steps = (struct steps){0};
}

static struct steps_point point_make(const struct stored_step *item, size_t count, double *room)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        room[i] = item[i].rate;
        sum += (double)item[i].step / (double)count;
    }
    qsort(room, count, sizeof *room, swi_by_double);
    return (struct steps_point){.step = sum,
                                .p5 = swi_sorted_quantile(room, count, 0.05),
                                .p50 = swi_sorted_quantile(room, count, 0.5),
                                .p95 = swi_sorted_quantile(room, count, 0.95)};
}

size_t steps_points(const struct steps *steps, struct steps_point *point, size_t most)
{
    size_t points = steps->count < most ? steps->count : most;
    double *room = malloc((steps->count + 1) * sizeof *room);
    for (size_t i = 0; room && i < points; i++) {
        size_t from = i * steps->count / points, to = (i + 1) * steps->count / points;
        point[i] = point_make(&steps->item[from], to - from, room);
    }
    free(room);
    return room ? points : 0;
}
