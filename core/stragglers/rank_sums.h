/* SPDX-License-Identifier: MIT */
/* rank_sums.h - what a report of all ranks consists of, whoever reads the ranks: an engine while
 * they run, or the command from their logs. */
#ifndef CORE_STRAGGLERS_RANK_SUMS_H
#define CORE_STRAGGLERS_RANK_SUMS_H

#include "core/stragglers/straggler.h"
#include "core/text/buffer.h"

#include <stepwatch/ranks.h>

__extension__ typedef __int128 swi_rank_ns; /* exact sums of nanoseconds */

/* One action of a rank, or of several. Initialise it as {0}. */
struct swi_rank_sum {
    swi_rank_ns total;   /* of all ranks */
    swi_rank_ns called;  /* durations of all calls, also of those that the totals lack because
                          * they ran inside a call of the same action */
    swi_rank_ns squares; /* of these durations */
    swi_rank_ns least;   /* of the totals of the ranks */
    swi_rank_ns most;
    int64_t min_rank, max_rank; /* which rank has that; the lowest of equal ones */
    int64_t calls, ranks;       /* ranks: how many have any call */
};

/* Adds the calls of one rank, as its report has them. */
void swi_rank_sum_report(struct swi_rank_sum *sum, int64_t calls, double total_ns, double mean_ns,
                         double std_ns);

/* Completes the sum of one rank, of which only total, called, squares and calls are known. */
void swi_rank_sum_own(struct swi_rank_sum *sum, int64_t rank);

/* Adds the completed sum of one rank or several. */
void swi_rank_sum_add(struct swi_rank_sum *sum, const struct swi_rank_sum *more);

/* Returns the row of all ranks, without names and percentiles. ranks: how many there are. */
struct sw_ranks_row swi_rank_sum_row(const struct swi_rank_sum *sum, int64_t ranks);

/* Fills the verdict of a report, and what is known of who keeps the others waiting. place: of each
 * rank of the search. sentence: an empty text, which the report borrows. ranks->block must be
 * set. */
void swi_ranks_judge(struct sw_ranks *ranks, struct swi_text *sentence,
                     const struct swi_straggler *found, const struct swi_rank_place *place);

#endif
