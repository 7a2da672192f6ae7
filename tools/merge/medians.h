/* SPDX-License-Identifier: MIT */
/* medians.h - medians, and the spread around them. */
#ifndef TOOLS_MERGE_MEDIANS_H
#define TOOLS_MERGE_MEDIANS_H

#include <stddef.h>

/* The median of values, which are put into another order; 0 of none. */
double median_of(double *value, size_t count);

/* A standard deviation that a few odd values do not change: 1.4826 times the median distance from
 * the median. The values are changed. */
double spread_of(double *value, size_t count);

#endif
