/* SPDX-License-Identifier: MIT */
/* sample_statistics.h - statistics of a noisy series whose neighbours may be correlated. `scratch`
 * has room for as many values. */
#ifndef CORE_ADVICE_SAMPLE_STATISTICS_H
#define CORE_ADVICE_SAMPLE_STATISTICS_H

#include "core/advice/analysis.h"

#include <stddef.h>

typedef int swi_compare_fn(const void *a, const void *b);

/* Returns the quantile p at position p (n - 1) of the sorted values, interpolated linearly; 0 if
 * there are none. */
double swi_sample_quantile(const double *x, size_t n, double p, double *scratch);
double swi_sample_median(const double *x, size_t n, double *scratch);
/* Returns 1.4826 times the median distance from the median: a standard deviation that a few
 * outliers do not change. */
double swi_sample_mad(const double *x, size_t n, double *scratch);
double swi_sample_sum(const double *x, size_t n);

/* Sorts like qsort(), but looks first whether the items are in order. */
void swi_sort(void *array, size_t n, size_t size, swi_compare_fn *compare);

/* The consecutive stretches of equal length into which a series of at least 16 values is divided,
 * 16 to 31 of them. The rest at the end is not used. */
enum { SWI_STRETCHES_MAX = 31 };
struct swi_stretches {
    size_t length, count;
};
/* Calculates the median of each stretch. scratch has room for one stretch. */
struct swi_stretches swi_stretch_medians(const double *x, size_t n, double *median,
                                         double *scratch);

/* Returns how much the means of neighbouring stretches differ, as a part of the mean. Trends and a
 * single change do not matter. */
double swi_roughness(const double *x, size_t n);

/* The ratio of two sums with its 99 % interval. */
struct swi_share {
    double share, low, high;
};
struct swi_share swi_share_of(const double *part, const double *whole, size_t n);

/* Calculates the quantile p of the 33 values around each value (fewer at the ends). */
void swi_rolling_quantile(const double *x, size_t n, double p, double *result);

/* ---- whether a series rises gradually or suddenly -------------------------------------------- */

/* The values are medians of stretches,
 * SWI_STRETCHES_MAX at most. */

struct swi_trend {
    double change; /* over the whole series, relative to the start: slope by Theil and Sen */
    double low;    /* its lower 99.5 % bound */
    double z;      /* of Mann and Kendall's test */
    double start;
    double deviation; /* sum of the distances from the line */
};
struct swi_trend swi_trend_of(const double *y, size_t n);

struct swi_shift {
    size_t at; /* the first value after it */
    double before, after;
    double deviation; /* sum of the distances from the two levels */
};
struct swi_shift swi_shift_of(const double *y, size_t n);

/* ---- what comes again ------------------------------------------------------------------------ */

/* Finds whether slow steps occur at regular intervals. */

/* A period. `at` has those of the places that match it. */
struct swi_period {
    int64_t every; /* steps between two slow ones; 0 if the steps have no period */
    size_t count;
    size_t *at;
};

/* Finds a period in the numbers of the steps, then in the distances of the places, then in the
 * places of the steps in their epochs. The first that matches is used. Returns false if out of
 * memory. Call swi_period_fini() in any case. */
bool swi_period_find(struct swi_period *period, const struct swi_places *places,
                     const struct swi_analysis *analysis);
void swi_period_fini(struct swi_period *period);

/* Returns how much longer than usual the places at the period take together. */
double swi_period_cost(const struct swi_period *period, const struct swi_places *places);

#endif
