/* SPDX-License-Identifier: MIT */
/* interval.h - by how much one mean is larger than another, and between which bounds that lies. */
#ifndef TOOLS_COMPARE_INTERVAL_H
#define TOOLS_COMPARE_INTERVAL_H

#include "tools/compare/means.h"

/* Shares of a's mean: 0.05 is 5 % more in b. The bounds are NAN where too few values are known. */
struct interval {
    double difference;
    double low;
    double high;
};

/* The ratio of two means with an interval that holds it with the given confidence, like 0.95:
 * Welch's interval (1947) for means of unlike variance, on the logarithms of the means. Their
 * standard errors are relative ones, to first order (the delta method). */
struct interval interval_of(const struct means *a, const struct means *b, double confidence);

/* The value below which Student's t of so many degrees of freedom (> 0) stays with probability p,
 * 0.5 <= p < 1. */
double student_quantile(double p, double degrees);

#endif
