/* SPDX-License-Identifier: MIT */
/* row_bins.h - a histogram of durations, of constant size: 64 bins for each power of two. */
#ifndef TOOLS_MERGE_ROW_BINS_H
#define TOOLS_MERGE_ROW_BINS_H

#include <stdint.h>

enum { ROW_BINS = 64 * 59 };

struct row_bins {
    uint32_t *count; /* NULL: no memory, or no value yet */
    uint64_t values;
};

void row_bins_add(struct row_bins *bins, int64_t ns);

/* The value below which a share of the durations is, within 0.8 %. NAN if there are none. */
double row_bins_quantile(const struct row_bins *bins, double share);
void row_bins_free(struct row_bins *bins);

#endif
