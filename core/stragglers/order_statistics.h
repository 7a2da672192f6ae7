/* SPDX-License-Identifier: MIT */
/* order_statistics.h - the k-th smallest value, medians, and the spread around them. */
#ifndef CORE_STRAGGLERS_ORDER_STATISTICS_H
#define CORE_STRAGGLERS_ORDER_STATISTICS_H

#include <stddef.h>

/* Moves the k-th smallest value, from 0, to index k, and no greater value before it. */
void swi_select_kth(double *value, size_t count, size_t k);

/* Returns the median of the values, or 0 if there are none. The values are reordered. */
double swi_median_of(double *value, size_t count);

/* Returns a standard deviation that a few outliers do not change: 1.4826 times the median distance
 * from the median. The values are changed. */
double swi_spread_of(double *value, size_t count);

#endif
