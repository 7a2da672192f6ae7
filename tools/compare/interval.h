/* SPDX-License-Identifier: MIT */
/* interval.h - estimates by how much one mean is larger than another, with bounds. */
#ifndef TOOLS_COMPARE_INTERVAL_H
#define TOOLS_COMPARE_INTERVAL_H

#include "tools/compare/means.h"

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
