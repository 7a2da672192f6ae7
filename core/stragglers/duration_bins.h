/* SPDX-License-Identifier: MIT */
/* duration_bins.h - a histogram of durations, of constant size: 64 bins for each power of two. */
#ifndef CORE_STRAGGLERS_DURATION_BINS_H
#define CORE_STRAGGLERS_DURATION_BINS_H

#include <stdint.h>

enum { SWI_DURATION_BINS = 64 * 59 };

struct swi_duration_bins {
    uint64_t *count; /* NULL until the first value, and if out of memory */
    uint64_t values;
};

/* Returns the number of the bin of a duration. */
unsigned swi_duration_bins_place(uint64_t ns);

void swi_duration_bins_add(struct swi_duration_bins *bins, int64_t ns, int64_t times);
/* Adds an entry of a log: the number of a bin, as in docs/run-log.md, and its count. */
void swi_duration_bins_put(struct swi_duration_bins *bins, int64_t logged, int64_t count);

/* Returns the value below which this share of the durations is, within 0.8 %; NAN if there are
 * none. */
double swi_duration_bins_quantile(const struct swi_duration_bins *bins, double share);
void swi_duration_bins_free(struct swi_duration_bins *bins);

#endif
