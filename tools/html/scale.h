/* SPDX-License-Identifier: MIT */
/* scale.h - maps values to places in a drawing, and finds round values for the labels of an axis.
 */
#ifndef TOOLS_HTML_SCALE_H
#define TOOLS_HTML_SCALE_H

#include <stdbool.h>
#include <stddef.h>

struct scale {
    double low, high; /* values; low < high */
    double from, to;  /* where they are drawn */
    bool logarithmic; /* low > 0 */
};

double scale_place(const struct scale *scale, double value);

/* Fills tick with about `wanted` values within the scale: 1, 2 or 5 times powers of ten, or powers
 * of ten for a logarithmic scale. `whole`: no fractions. Returns how many. */
enum { SCALE_TICKS = 24 };
size_t scale_ticks(const struct scale *scale, size_t wanted, bool whole, double tick[SCALE_TICKS]);

#endif
