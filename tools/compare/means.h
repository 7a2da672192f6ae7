/* SPDX-License-Identifier: MIT */
/* means.h - the mean of a series whose values depend on those before them, and how well it is
 * known.
 *
 * Durations of steps in a row are alike (a slow disk, a warm processor), so their variance over
 * their number would promise too much. The method of batch means (Conway 1963; between 10 and 30
 * batches, as Schmeiser 1982 advises) takes the means of long stretches instead, which hardly
 * depend on each other. */
#ifndef TOOLS_COMPARE_MEANS_H
#define TOOLS_COMPARE_MEANS_H

#include <stddef.h>
#include <stdint.h>

/* Begins as {0}. When all batches are full, neighbours are joined: from 16 to 31 are full as soon
 * as there are 16 values, whatever the number of values. */
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

/* The variance of the mean; NAN with fewer than two batches. degrees: set to those of freedom. */
double means_variance(const struct means *means, double *degrees);

#endif
