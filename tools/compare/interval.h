/* SPDX-License-Identifier: MIT */
/* interval.h - estimates by how much one mean is larger than another, with bounds. */
#ifndef TOOLS_COMPARE_INTERVAL_H
#define TOOLS_COMPARE_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

/* The mean of a series of dependent values, and its variance.
 *
 * Durations of consecutive steps are similar (a slow disk, a warm processor), so their variance
 * divided by their number would be too small. The method of batch means (Conway 1963; between 10
 * and 30 batches, as Schmeiser 1982 advises) uses the means of long runs of values instead, which
 * hardly depend on each other.
 *
 * Initialise it as {0}. When all batches are full, neighbours are merged. So from 16 to 31 are full
 * as soon as there are 16 values, whatever the number of values. */
enum { MEANS_BATCHES = 32 };
struct means {
    int64_t count;
    double sum;
    int64_t size;                /* values in a batch */
    size_t full;                 /* batches */
    double batch[MEANS_BATCHES]; /* sums */
    int64_t open;                /* values in the batch that is not full */
    double open_sum;
};

/* Adds values that are alike, by their sum. No values: does nothing. */
void means_add(struct means *means, double sum, int64_t count);
double means_mean(const struct means *means);

/* Returns the variance of the mean; NAN with fewer than two batches. degrees: set to the degrees of
 * freedom. */
double means_variance(const struct means *means, double *degrees);

/* Shares of a's mean: 0.05 is 5 % more in b. The bounds are NAN if there are too few values. */
struct interval {
    double difference;
    double low;
    double high;
};

/* Returns the ratio of two means, with an interval that contains it with the given confidence, like
 * 0.95: Welch's interval (1947) for means with different variances, on the logarithms of the means.
 * Their standard errors are relative ones, to first order (the delta method). */
struct interval interval_of(const struct means *a, const struct means *b, double confidence);

/* Returns the value that Student's t with so many degrees of freedom (> 0) does not exceed with
 * probability p, 0.5 <= p < 1. */
double student_quantile(double p, double degrees);

#endif
