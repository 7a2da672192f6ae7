/* SPDX-License-Identifier: MIT */
/* fit_series.h - the memory in use during a fit for the rules, in memory that does not grow: of a
 * series with more values than FIT_POINTS, each point is the mean of 2, 4, 8 and so on. */
#ifndef TOOLS_LOG_FIT_SERIES_H
#define TOOLS_LOG_FIT_SERIES_H

#include "core/advice/advice.h"

#include <stdbool.h>

enum { FIT_POINTS = 8192 };

/* Initialise it as {0}. Beside it is the fit, which has the series. */
struct fit_series {
    struct fit_series_last {
        size_t each;    /* values of a point */
        size_t in_last; /* values of the last point so far */
    } * last;           /* of each series */
};

/* Adds a value to the series of a name. Returns false if out of memory. */
bool fit_series_add(struct fit_series *series, struct swi_advised *fit, const char *name,
                    double t_ns, double value);
void fit_series_free(struct fit_series *series, struct swi_advised *fit);

#endif
