/* SPDX-License-Identifier: MIT */
/* trends.h - finds whether a series rises gradually or suddenly. The values are medians of
 * stretches, SWI_STRETCHES_MAX at most. */
#ifndef CORE_ADVICE_TRENDS_H
#define CORE_ADVICE_TRENDS_H

#include <stddef.h>

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

#endif
