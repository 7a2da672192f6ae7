/* SPDX-License-Identifier: MIT */
/* rank_rows.h - the rows of all ranks, added up row by row. */
#ifndef MPI_RANK_ROWS_H
#define MPI_RANK_ROWS_H

#include "core/text/buffer.h"
#include "mpi/joined.h"

/* What is joined of a row: 72 bytes. The sum is in two parts, so that it is exact for 2^31 ranks.
 */
struct swi_rank_row {
    uint64_t sum_low; /* of the low 32 bits */
    int64_t sum_high;
    int64_t calls;
    int64_t ranks; /* that have any call */
    int64_t min, min_rank;
    int64_t max, max_rank;
    double squares; /* of the durations of the calls */
};

/* Makes the type and the operation for them. Returns what MPI did. */
int swi_rank_rows_init(struct swi_joined *joined);

/* The row of a rank without the action, if row is NULL. */
struct swi_rank_row swi_rank_row_of(const struct sw_report_row *row, int rank);

/* The row of all ranks; its names are not set. ranks: how many there are. */
struct sw_ranks_row swi_rank_row_joined(const struct swi_rank_row *row, int64_t ranks);

/* The name of a row, for comparing: the digit of its phase and the action. */
void swi_rank_row_name(struct swi_text *text, const struct sw_report_row *row);

/* The numbers of the report's rows in the order of their names; the caller's to free. NULL without
 * memory. */
size_t *swi_rank_rows_order(const struct sw_report *report);

/* In order, a NUL after each. */
void swi_rank_rows_names(struct swi_text *text, const struct sw_report *report,
                         const size_t *order);

#endif
