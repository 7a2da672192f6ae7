/* SPDX-License-Identifier: MIT */
/* curve.h - a curve, in memory that does not grow: if there are more values than points, each
 * point is the mean of 2, 4, 8 and so on of them. */
#ifndef CORE_TEXT_CURVE_H
#define CORE_TEXT_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise it as {0}. */
struct swi_curve {
    size_t count; /* of points */
    double *x, *y;
    size_t each;    /* values of a point */
    size_t in_last; /* values of the last point so far */
};

/* Adds a value to a curve of at most so many points, an even number. Returns false if out of
 * memory. */
bool swi_curve_add(struct swi_curve *curve, size_t most, double x, double y);
void swi_curve_free(struct swi_curve *curve);

/* Returns whether a metric is memory in use, as its name says: process/rss_bytes or
 * gpu/0/memory_used_bytes. */
bool swi_is_memory_name(const char *name);

#endif
