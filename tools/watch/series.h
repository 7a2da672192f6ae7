/* SPDX-License-Identifier: MIT */
/* series.h - a curve in constant memory: when it is full, two points become one. */
#ifndef TOOLS_WATCH_SERIES_H
#define TOOLS_WATCH_SERIES_H

#include <stddef.h>
#include <stdint.h>

enum { SERIES_POINTS = 256 };

struct series {
    size_t count;              /* points that are complete */
    int64_t each;              /* values in a point; 0: none yet */
    int64_t filled;            /* values in the point that is being made */
    double sum[SERIES_POINTS]; /* of the values in each point */
    double weight[SERIES_POINTS];
    double open_sum, open_weight;
};

/* Adds a value that counts as much as its weight: samples and the time that they took. */
void series_add(struct series *series, double value, double weight);

/* As many points as there is room for, each the mean of what it covers: fills value, and returns
 * how many there are. */
size_t series_points(const struct series *series, double *value, size_t room);

#endif
