/* SPDX-License-Identifier: MIT */
/* metric_series.h - the values that a program logged, by name and step. */
#ifndef TOOLS_LOG_METRIC_SERIES_H
#define TOOLS_LOG_METRIC_SERIES_H

#include "core/text/map.h"

/* The most points that are kept of a name. If there are more values, each point is the mean of
 * twice as many as before. */
enum { METRIC_POINTS = 1024 };

struct metric_point {
    double step, value;
};

struct metric_series {
    const char *name; /* the map's */
    size_t seen;      /* values that are finite */
    size_t not_finite;
    double last;    /* also if it is not finite */
    size_t each;    /* values of a point */
    size_t in_last; /* values of the last point so far */
    size_t count;
    struct metric_point *point;
};

/* In the order in which the names came. Initialise it as {0}. */
struct metric_list {
    struct swi_map names;
    struct metric_series *item; /* by the number of the name */
};

/* Adds a value. If out of memory, the value is left out. */
void metric_list_add(struct metric_list *list, const char *name, double step, double value);
void metric_list_free(struct metric_list *list);

#endif
