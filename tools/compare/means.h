/* SPDX-License-Identifier: MIT */
/* means.h - the mean of a series of dependent values, and its variance.
 *
 * Durations of consecutive steps are similar (a slow disk, a warm processor), so their variance
 * divided by their number would be too small. The method of batch means (Conway 1963; between 10
 * and 30 batches, as Schmeiser 1982 advises) uses the means of long runs of values instead, which
 * hardly depend on each other. */
#ifndef TOOLS_COMPARE_MEANS_H
#define TOOLS_COMPARE_MEANS_H

#include <stddef.h>
#include <stdint.h>

/* Initialise it as {0}. When all batches are full, neighbours are merged. So from 16 to 31 are full
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

void means_add(struct means *means, double value);

double means_mean(const struct means *means);

/* Returns the variance of the mean; NAN with fewer than two batches. degrees: set to the degrees of
 * freedom. */
double means_variance(const struct means *means, double *degrees);

#endif
