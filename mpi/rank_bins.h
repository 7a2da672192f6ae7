/* SPDX-License-Identifier: MIT */
/* rank_bins.h - adds up the histograms of all ranks. The bins of a rank are in ticks, which differ
 * between hosts; these are in nanoseconds. */
#ifndef MPI_RANK_BINS_H
#define MPI_RANK_BINS_H

#include "mpi/limited_wait.h"

struct swi_rank_bins {
    size_t rows;
    uint64_t *own, *all; /* all: on rank 0 */
};

int swi_rank_bins_begin(struct swi_rank_bins *bins, struct swi_limited_wait *wait, size_t rows);

/* Adds the durations of this rank. row may be NULL. */
void swi_rank_bins_add(struct swi_rank_bins *bins, size_t number, const struct sw_report_row *row);

/* Collective. */
int swi_rank_bins_join(struct swi_rank_bins *bins, struct swi_limited_wait *wait);

void swi_rank_bins_quantiles(const struct swi_rank_bins *bins, size_t number,
                             struct sw_ranks_row *row);

#endif
