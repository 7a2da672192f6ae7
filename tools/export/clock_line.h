/* SPDX-License-Identifier: MIT */
/* clock_line.h - how far the clock of a rank is ahead, as a straight line over the time of the run.
 */
#ifndef TOOLS_EXPORT_CLOCK_LINE_H
#define TOOLS_EXPORT_CLOCK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At t ns after its run began, a clock is ahead by ahead_ns + slope * t. */
struct clock_line {
    double ahead_ns;
    double slope; /* ns per ns */
};

/* Moments that were the same on all ranks, such as the ends of an allreduce. Of many, every
 * stride-th is kept. Initialise it as {0}. */
struct moments {
    double *at_ns; /* by the clock of the rank */
    size_t count;
    size_t stride; /* a power of two; 0 before the first */
    size_t seen;
};

/* Adds the next moment. Returns false if out of memory. */
bool moments_add(struct moments *moments, double at_ns);
void moments_free(struct moments *moments);

/* Finds for each rank the line through what its moments are later than those of the median rank, by
 * the medians of their two halves, so that a few late ones change nothing. began_ns: by the clock
 * of the rank, when its run began. error_ns: half of the moments agree so well afterwards. Returns
 * false if there are fewer than 8 moments that all ranks have, or not enough memory. */
bool clock_lines_fit(struct clock_line *line, const struct moments *moments, const double *began_ns,
                     size_t ranks, double *error_ns);

#endif
