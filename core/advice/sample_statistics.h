/* SPDX-License-Identifier: MIT */
/* sample_statistics.h - statistics of a series of values that is noisy, and whose neighbours may be
 * alike. `scratch` has room for as many values. */
#ifndef CORE_ADVICE_SAMPLE_STATISTICS_H
#define CORE_ADVICE_SAMPLE_STATISTICS_H

#include <stddef.h>

/* The quantile p at position p (n - 1) of the sorted values, linear between two; 0 of none. */
double swi_sample_quantile(const double *x, size_t n, double p, double *scratch);
double swi_sample_median(const double *x, size_t n, double *scratch);
/* 1.4826 times the median distance from the median: a standard deviation that a few odd values do
 * not change. */
double swi_sample_mad(const double *x, size_t n, double *scratch);
double swi_sample_sum(const double *x, size_t n);

/* Neighbouring stretches of equal length, 16 to 31 of them; what is left over at the end is not
 * used. n is at least 16. */
enum { SWI_STRETCHES_MAX = 31 };
struct swi_stretches {
    size_t length, count;
};
struct swi_stretches swi_stretches_of(size_t n);
/* The median of each stretch; scratch has room for one stretch. */
struct swi_stretches swi_stretch_medians(const double *x, size_t n, double *median,
                                         double *scratch);

/* How much the means of neighbouring stretches differ, as a part of the mean: blind to trends and
 * to a single change. */
double swi_roughness(const double *x, size_t n);

/* By how much an interval has to be wider because neighbours are alike: n is at most
 * SWI_STRETCHES_MAX. */
double swi_widening(const double *residue, size_t n);

/* The ratio of two sums with its 99 % interval. */
struct swi_share {
    double share, low, high;
};
struct swi_share swi_share_of(const double *part, const double *whole, size_t n);

/* Of the 33 values around each (fewer at the ends) the quantile p. */
void swi_rolling_quantile(const double *x, size_t n, double p, double *result);

#endif
