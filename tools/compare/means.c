/* SPDX-License-Identifier: MIT */
#include "tools/compare/means.h"

#include <math.h>

static void join_neighbours(struct means *means)
{
    for (size_t i = 0; i < MEANS_BATCHES / 2; i++)
        means->batch[i] = means->batch[2 * i] + means->batch[2 * i + 1];
    means->full = MEANS_BATCHES / 2;
    means->size *= 2;
}

void means_add(struct means *means, double value)
{
    if (means->size == 0)
        means->size = 1;
    means->count++;
    means->sum += value;
    means->open_sum += value;
    if (++means->open < means->size)
        return;
    means->batch[means->full++] = means->open_sum;
    means->open = 0;
    means->open_sum = 0;
    if (means->full == MEANS_BATCHES)
        join_neighbours(means);
}

double means_mean(const struct means *means)
{
    return means->count ? means->sum / (double)means->count : NAN;
}

double means_variance(const struct means *means, double *degrees)
{
    double size = (double)means->size, full = (double)means->full, sum = 0, squares = 0;
    *degrees = full - 1;
    if (means->full < 2)
        return NAN;
    for (size_t i = 0; i < means->full; i++)
        sum += means->batch[i] / size;
    for (size_t i = 0; i < means->full; i++) {
        double away = means->batch[i] / size - sum / full;
        squares += away * away;
    }
    /* The mean includes all values, even those of the batch that is not full. */
    return squares / (full - 1) * size / (double)means->count;
}
