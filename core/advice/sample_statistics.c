/* SPDX-License-Identifier: MIT */
#include "core/advice/sample_statistics.h"
#include "core/stragglers/order_statistics.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = 16, WINDOW = 2 * HALF + 1 };

/* ---- order statistics ------------------------------------------------------------------------ */

double swi_sample_quantile(const double *x, size_t n, double p, double *scratch)
{
    if (n == 0)
        return 0;
    double position = p * (double)(n - 1);
    size_t i = (size_t)position;
    memcpy(scratch, x, n * sizeof *x);
    swi_select_kth(scratch, n, i);
    if (i + 1 >= n)
        return scratch[i];
    double next = scratch[i + 1];
    for (size_t k = i + 2; k < n; k++)
        next = scratch[k] < next ? scratch[k] : next;
    return scratch[i] + (position - (double)i) * (next - scratch[i]);
}

double swi_sample_median(const double *x, size_t n, double *scratch)
{
    return swi_sample_quantile(x, n, 0.5, scratch);
}

double swi_sample_mad(const double *x, size_t n, double *scratch)
{
    memcpy(scratch, x, n * sizeof *x);
    return swi_spread_of(scratch, n);
}

double swi_sample_sum(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void swi_sort(void *array, size_t n, size_t size, swi_compare_fn *compare)
{
    char *item = array;
    size_t i = 1;
    while (i < n && compare(item + (i - 1) * size, item + i * size) <= 0)
        i++;
    if (i < n)
        qsort(array, n, size, compare);
}

/* ---- stretches ------------------------------------------------------------------------------- */

static struct swi_stretches stretches_of(size_t n)
{
    size_t length = n / 16;
    return (struct swi_stretches){length, n / length};
}

struct swi_stretches swi_stretch_medians(const double *x, size_t n, double *median, double *scratch)
{
    struct swi_stretches s = stretches_of(n);
    for (size_t k = 0; k < s.count; k++)
        median[k] = swi_sample_median(x + k * s.length, s.length, scratch);
    return s;
}

double swi_roughness(const double *x, size_t n)
{
    double mean[SWI_STRETCHES_MAX], jump[SWI_STRETCHES_MAX];
    struct swi_stretches s = stretches_of(n);
    for (size_t k = 0; k < s.count; k++)
        mean[k] = swi_sample_sum(x + k * s.length, s.length) / (double)s.length;
    for (size_t k = 1; k < s.count; k++)
        jump[k - 1] = fabs(mean[k] - mean[k - 1]);
    double all = swi_sample_sum(mean, s.count) / (double)s.count;
    return all > 0 ? 1.4826 * swi_median_of(jump, s.count - 1) / sqrt(2) / all : 0;
}

/* Returns the correlation of neighbours. */
static double lag1(const double *x, size_t n)
{
    double mean = swi_sample_sum(x, n) / (double)n, square = 0, product = 0;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean);
    for (size_t i = 0; i + 1 < n; i++)
        product += (x[i] - mean) * (x[i + 1] - mean);
    return square > 0 ? product / square : 0;
}

/* Returns the factor by which an interval must be wider because neighbours are correlated. n is at
 * most SWI_STRETCHES_MAX. */
static double widening(const double *residue, size_t n)
{
    double rho = fmin(0.9, lag1(residue, n));
    return rho > 0.3 ? sqrt((1 + rho) / (1 - rho)) : 1;
}

struct swi_share swi_share_of(const double *part, const double *whole, size_t n)
{
    /* Student's t, 0.995, of 15 to 30 degrees of freedom. */
    static const double t995[] = {2.9467, 2.9208, 2.8982, 2.8784, 2.8609, 2.8453, 2.8314, 2.8188,
                                  2.8073, 2.7969, 2.7874, 2.7787, 2.7707, 2.7633, 2.7564, 2.7500};
    double parts[SWI_STRETCHES_MAX] = {0}, wholes[SWI_STRETCHES_MAX] = {0};
    double residue[SWI_STRETCHES_MAX];
    struct swi_stretches s = stretches_of(n);
    for (size_t k = 0; k < s.count; k++) {
        parts[k] = swi_sample_sum(part + k * s.length, s.length);
        wholes[k] = swi_sample_sum(whole + k * s.length, s.length);
    }
    double count = (double)s.count, total = swi_sample_sum(wholes, s.count), squares = 0;
    if (total <= 0)
        return (struct swi_share){0, 0, 0};
    double ratio = swi_sample_sum(parts, s.count) / total;
    for (size_t k = 0; k < s.count; k++) {
        residue[k] = parts[k] - ratio * wholes[k];
        squares += residue[k] * residue[k];
    }
    double error = sqrt(squares / (count - 1) / count) / (total / count);
    size_t last = sizeof t995 / sizeof *t995 - 1, degree = s.count - 16;
    double half = t995[degree < last ? degree : last] * error * widening(residue, s.count);
    double share = swi_sample_sum(part, n) / swi_sample_sum(whole, n);
    return (struct swi_share){share, ratio - half, ratio + half};
}

/* ---- rolling --------------------------------------------------------------------------------- */

/* The sorted values of a window. */
struct rolling_window {
    size_t count;
    double value[WINDOW];
};

/* Returns how many values are smaller. */
static size_t place_of(const struct rolling_window *sorted, double value)
{
    size_t low = 0, high = sorted->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sorted->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Inserts a value at position i or where the order needs it. The values between move by one. */
static void settle(struct rolling_window *sorted, size_t i, double value)
{
    double *x = sorted->value;
    for (; i > 0 && x[i - 1] > value; i--)
        x[i] = x[i - 1];
    for (; i + 1 < sorted->count && x[i + 1] < value; i++)
        x[i] = x[i + 1];
    x[i] = value;
}

static void sorted_add(struct rolling_window *sorted, double value)
{
    sorted->count++;
    settle(sorted, sorted->count - 1, value);
}

static void sorted_remove(struct rolling_window *sorted, double value)
{
    size_t i = place_of(sorted, value);
    sorted->count--;
    for (; i < sorted->count; i++)
        sorted->value[i] = sorted->value[i + 1];
}

void swi_rolling_quantile(const double *x, size_t n, double p, double *result)
{
    struct rolling_window sorted = {0};
    for (size_t i = 0; i < n && i < HALF; i++)
        sorted_add(&sorted, x[i]);
    for (size_t i = 0; i < n; i++) {
        bool leaves = i > HALF, comes = i + HALF < n;
        if (leaves && comes)
            settle(&sorted, place_of(&sorted, x[i - HALF - 1]), x[i + HALF]);
        else if (comes)
            sorted_add(&sorted, x[i + HALF]);
        else if (leaves)
            sorted_remove(&sorted, x[i - HALF - 1]);
        result[i] = swi_sorted_quantile(sorted.value, sorted.count, p);
    }
}

enum { MOST = SWI_STRETCHES_MAX, PAIRS = MOST * (MOST - 1) / 2, SIDE_LEAST = 3 };

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
    qsort(slope, count, sizeof *slope, swi_by_double);
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
    double wide = sd * widening(residue, n);
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
