/* SPDX-License-Identifier: MIT */
#include "tools/log/steps.h"

#include <stdlib.h>
#include <string.h>

/* A fixed sequence, so that the same log gives the same page: the quick generator of Numerical
 * Recipes. */
static uint32_t draw_lot(struct steps *steps)
{
    steps->lot = steps->lot * UINT32_C(1664525) + UINT32_C(1013904223);
    return steps->lot >> 8;
}

/* Chooses at random, so that events at every second step are neither all kept nor all lost. */
static void thin(struct steps *steps)
{
    for (size_t i = 0; i < steps->count / 2; i++)
        steps->item[i] = steps->item[2 * i + draw_lot(steps) % 2];
    steps->count /= 2;
    steps->every *= 2;
}

static bool room(struct steps *steps)
{
    if (!steps->item) {
        steps->item = malloc(STEPS_KEPT * sizeof *steps->item);
        steps->every = 1;
    }
    if (steps->count == STEPS_KEPT)
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
            steps->chosen = draw_lot(steps) % steps->every;
        if (steps->chosen >= place && steps->chosen < place + some)
            steps->item[steps->count++] =
                (struct step_kept){step - (count - 1) + (steps->chosen - place), rate};
        steps->seen += some;
        count -= some;
    }
}

void steps_free(struct steps *steps)
{
    free(steps->item);
    *steps = (struct steps){0};
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates linearly between order statistics, like sw_quantile() of the same values. */
static double quantile(const double *sorted, size_t count, double p)
{
    double position = p * (double)(count - 1);
    size_t low = (size_t)position, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (position - (double)low) * (sorted[high] - sorted[low]);
}

static struct steps_point point_make(const struct step_kept *item, size_t count, double *room)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        room[i] = item[i].rate;
        sum += (double)item[i].step / (double)count;
    }
    qsort(room, count, sizeof *room, by_size);
    return (struct steps_point){.step = sum,
                                .p5 = quantile(room, count, 0.05),
                                .p50 = quantile(room, count, 0.5),
                                .p95 = quantile(room, count, 0.95)};
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
