/* SPDX-License-Identifier: MIT */
#include "tools/compare/interval.h"

#include <math.h>

/* ---- the mean of dependent values ------------------------------------------------------------ */

static void join_neighbours(struct means *means)
{
    for (size_t i = 0; i < MEANS_BATCHES / 2; i++)
        means->batch[i] = means->batch[2 * i] + means->batch[2 * i + 1];
    means->full = MEANS_BATCHES / 2;
    means->size *= 2;
}

/* Adds to the batch that is not full: no more than there is room for. */
static void open_add(struct means *means, double sum, int64_t count)
{
    means->open_sum += sum;
    means->open += count;
    if (means->open < means->size)
        return;
    means->batch[means->full++] = means->open_sum;
    means->open = 0;
    means->open_sum = 0;
    if (means->full == MEANS_BATCHES)
        join_neighbours(means);
}

void means_add(struct means *means, double sum, int64_t count)
{
    if (count <= 0)
        return;
    if (means->size == 0)
        means->size = 1;
    means->count += count;
    means->sum += sum;
    for (int64_t left = count; left > 0;) {
        int64_t room = means->size - means->open, some = left < room ? left : room;
        open_add(means, some == count ? sum : sum / (double)count * (double)some, some);
        left -= some;
    }
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

/* ---- Student's t ---- */

static double away_from_zero(double value)
{
    return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated from the front
 * by Lentz's method as changed by Thompson and Barnett (1986). It converges well for x below about
 * a / (a + b). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        value *= c * d;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return value;
}

/* Returns the regularized incomplete beta function; x is within 0..1. */
static double beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta(1 - x, b, a);
    double front = a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b);
    return exp(front) / a * beta_fraction(x, a, b);
}

/* Returns the probability of a value less than t, t >= 0. */
static double student(double t, double degrees)
{
    return 1 - 0.5 * beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

double student_quantile(double p, double degrees)
{
    double low = 0, high = 1;
    while (student(high, degrees) < p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(student(middle, degrees) < p ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* ---- the interval ---- */

/* Returns Satterthwaite's degrees of freedom of a sum of two variances. */
static double degrees_of(double u, double u_degrees, double v, double v_degrees)
{
    return (u + v) * (u + v) / (u * u / u_degrees + v * v / v_degrees);
}

struct interval interval_of(const struct means *a, const struct means *b, double confidence)
{
    double a_mean = means_mean(a), b_mean = means_mean(b), a_degrees, b_degrees;
    double u = means_variance(a, &a_degrees) / (a_mean * a_mean);
    double v = means_variance(b, &b_degrees) / (b_mean * b_mean);
    double ratio = b_mean / a_mean, half = 0;
    if (isnan(u + v) || !isfinite(ratio) || ratio <= 0)
        return (struct interval){ratio - 1, NAN, NAN};
    if (u + v > 0)
        half = sqrt(u + v) *
               student_quantile(0.5 + confidence / 2, degrees_of(u, a_degrees, v, b_degrees));
    return (struct interval){ratio - 1, ratio * exp(-half) - 1, ratio * exp(half) - 1};
}
