/* SPDX-License-Identifier: MIT */
#include "core/advice/trends.h"

#include "core/advice/sample_statistics.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = SWI_STRETCHES_MAX, PAIRS = MOST * (MOST - 1) / 2, SIDE_LEAST = 3 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calculates the sorted slopes between all pairs. sign: how many of them rise minus how many fall.
 */
static size_t slopes_make(const double *y, size_t n, double slope[PAIRS], double *sign)
{
    size_t count = 0;
    *sign = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            slope[count++] = (y[j] - y[i]) / (double)(j - i);
            *sign += (y[j] > y[i]) - (y[j] < y[i]);
        }
    qsort(slope, count, sizeof *slope, ascending);
    return count;
}

/* Returns the start of y: the median after the slope is removed. */
static double start_of(const double *y, size_t n, double slope)
{
    double level[MOST], scratch[MOST];
    for (size_t i = 0; i < n; i++)
        level[i] = y[i] - slope * (double)i;
    return swi_sample_median(level, n, scratch);
}

struct swi_trend swi_trend_of(const double *y, size_t n)
{
    double slope[PAIRS] = {0}, scratch[PAIRS], residue[MOST], sign, deviation = 0;
    size_t count = slopes_make(y, n, slope, &sign);
    double m = (double)n, sd = sqrt(m * (m - 1) * (2 * m + 5) / 18);
    double middle = swi_sample_median(slope, count, scratch), start = start_of(y, n, middle);
    if (start <= 0)
        return (struct swi_trend){0};
    for (size_t i = 0; i < n; i++) {
        residue[i] = y[i] - middle * (double)i - start;
        deviation += fabs(residue[i]);
    }
    double wide = sd * swi_widening(residue, n);
    double rank = fmax(0, ((double)count - 2.576 * wide) / 2);
    return (struct swi_trend){.change = middle * (m - 1) / start,
                              .low = slope[(size_t)rank] * (m - 1) / start,
                              .z = sign / wide,
                              .start = start,
                              .deviation = deviation};
}

static double deviation_from(const double *y, size_t n, double level)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(y[i] - level);
    return sum;
}

struct swi_shift swi_shift_of(const double *y, size_t n)
{
    struct swi_shift best = {0};
    double scratch[MOST];
    for (size_t at = SIDE_LEAST; at + SIDE_LEAST <= n; at++) {
        double before = swi_sample_median(y, at, scratch);
        double after = swi_sample_median(y + at, n - at, scratch);
        double deviation = deviation_from(y, at, before) + deviation_from(y + at, n - at, after);
        if (!best.at || deviation < best.deviation)
            best = (struct swi_shift){at, before, after, deviation};
    }
    return best;
}
