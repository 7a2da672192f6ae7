/* SPDX-License-Identifier: MIT */
/* scale.h - from values to places in a drawing, and the round values that an axis is labelled with.
 */
#ifndef TOOLS_PAGE_SCALE_H
#define TOOLS_PAGE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

struct scale {
    double low, high; /* values; low < high */
    double from, to;  /* where they are drawn */
    bool logarithmic; /* low > 0 */
};

double scale_place(const struct scale *scale, double value);

/* Fills tick with 1, 2 or 5 times powers of ten within the scale, about `wanted` of them; of a
 * logarithmic one the powers of ten. `whole`: no fractions. Returns how many. */
enum { SCALE_TICKS = 24 };
size_t scale_ticks(const struct scale *scale, size_t wanted, bool whole, double tick[SCALE_TICKS]);

#endif
