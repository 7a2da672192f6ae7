/* SPDX-License-Identifier: MIT */
#include "mpi/rank_bins.h"
#include "core/stragglers/duration_bins.h"

#include <math.h>

int swi_rank_bins_begin(struct swi_rank_bins *bins, struct swi_limited_wait *wait, size_t rows)
{
    size_t size = rows * SWI_DURATION_BINS * sizeof *bins->own;
    *bins = (struct swi_rank_bins){.rows = rows, .own = swi_limited_wait_lend(wait, size)};
    bins->all = wait->joined->rank == 0 ? swi_limited_wait_lend(wait, size) : NULL;
    return bins->own && (bins->all || wait->joined->rank != 0) ? 0 : SW_ENOMEM;
}

void swi_rank_bins_add(struct swi_rank_bins *bins, size_t number, const struct sw_report_row *row)
{
    uint64_t *own = bins->own + number * SWI_DURATION_BINS;
    for (size_t i = 0; row && i < row->durations.bin_count; i++) {
        const struct sw_bin *bin = sw_distribution_bin(&row->durations, i);
        double middle = bin->low + (bin->high - bin->low) / 2;
        own[swi_duration_bins_place(middle > 0 ? (uint64_t)llround(middle) : 0)] += bin->count;
    }
}

int swi_rank_bins_join(struct swi_rank_bins *bins, struct swi_limited_wait *wait)
{
    MPI_Request request;
    return swi_limited_wait_wait(wait,
                                 MPI_Ireduce(bins->own, bins->all,
                                             (int)(bins->rows * SWI_DURATION_BINS), MPI_UINT64_T,
                                             MPI_SUM, 0, wait->joined->comm, &request),
                                 &request);
}

void swi_rank_bins_quantiles(const struct swi_rank_bins *bins, size_t number,
                             struct sw_ranks_row *row)
{
    struct swi_duration_bins all = {.count = bins->all + number * SWI_DURATION_BINS};
    for (size_t i = 0; i < SWI_DURATION_BINS; i++)
        all.values += all.count[i];
    row->p50_ns = swi_duration_bins_quantile(&all, 0.50);
    row->p95_ns = swi_duration_bins_quantile(&all, 0.95);
    row->p99_ns = swi_duration_bins_quantile(&all, 0.99);
}
