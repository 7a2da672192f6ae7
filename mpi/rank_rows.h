/* SPDX-License-Identifier: MIT */
/* rank_rows.h - adds up the rows of all ranks. */
#ifndef MPI_RANK_ROWS_H
#define MPI_RANK_ROWS_H

#include "core/text/buffer.h"
#include "mpi/joined.h"

/* The joined data of a row: 72 bytes. The sum is in two parts, so that it is exact for 2^31 ranks.
 */
struct swi_rank_row {
    uint64_t sum_low; /* of the low 32 bits */
    int64_t sum_high;
    int64_t calls;
    int64_t ranks; /* ranks that have any call */
    int64_t min, min_rank;
    int64_t max, max_rank;
    double squares; /* of the durations of the calls */
};

/* Makes the MPI type and the operation. Returns the result of MPI. */
int swi_rank_rows_init(struct swi_joined *joined);

/* Converts a row of a report. row NULL: the rank does not have the action. */
struct swi_rank_row swi_rank_row_of(const struct sw_report_row *row, int rank);

/* Returns the row of all ranks, without its names. ranks: how many there are. */
struct sw_ranks_row swi_rank_row_joined(const struct swi_rank_row *row, int64_t ranks);

/* Returns the numbers of the report's rows in the order of their names. The caller frees it.
 * Returns NULL if out of memory. */
size_t *swi_rank_rows_order(const struct sw_report *report);

/* Adds the names in that order, each with its NUL. */
void swi_rank_rows_names(struct swi_text *text, const struct sw_report *report,
                         const size_t *order);

#endif
