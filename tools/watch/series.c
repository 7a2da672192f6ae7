/* SPDX-License-Identifier: MIT */
#include "tools/watch/series.h"

#include <math.h>

static void halve(struct series *series)
{
    for (size_t i = 0; i < SERIES_POINTS / 2; i++) {
        series->sum[i] = series->sum[2 * i] + series->sum[2 * i + 1];
        series->weight[i] = series->weight[2 * i] + series->weight[2 * i + 1];
    }
    series->count = SERIES_POINTS / 2;
    series->each *= 2;
}

void series_add(struct series *series, double value, double weight)
{
    if (!isfinite(value) || !(weight > 0))
        return;
    if (!series->each)
        series->each = 1;
    series->open_sum += value;
    series->open_weight += weight;
    if (++series->filled < series->each)
        return;
    if (series->count == SERIES_POINTS)
        halve(series);
    series->sum[series->count] = series->open_sum;
    series->weight[series->count++] = series->open_weight;
    series->open_sum = series->open_weight = 0;
    series->filled = 0;
}

static double mean_of(const struct series *series, size_t from, size_t to)
{
    double sum = 0, weight = 0;
    for (size_t i = from; i < to; i++) {
        sum += series->sum[i];
        weight += series->weight[i];
    }
    return sum / weight;
}

size_t series_points(const struct series *series, double *value, size_t room)
{
    size_t count = series->count < room ? series->count : room;
    for (size_t i = 0; i < count; i++)
        value[i] = mean_of(series, i * series->count / count, (i + 1) * series->count / count);
    return count;
}
