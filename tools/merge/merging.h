/* SPDX-License-Identifier: MIT */
/* merging.h - one answer from the run logs of all ranks. */
#ifndef TOOLS_MERGE_MERGING_H
#define TOOLS_MERGE_MERGING_H

#include "tools/merge/rank_log.h"
#include "core/balance/row_bins.h"
#include "tools/merge/step_set.h"
#include "core/balance/straggler.h"

__extension__ typedef __int128 merged_sum; /* of nanoseconds */

/* One action of one phase, of all ranks. */
struct merged_row {
    char *phase, *action;
    int64_t calls, ranks; /* ranks: how many have any call */
    merged_sum sum;       /* of all ranks */
    merged_sum squares;
    merged_sum of_rank; /* of the rank that is being read */
    int64_t calls_of_rank;
    merged_sum min, max; /* of the totals of the ranks */
    int64_t min_rank, max_rank;
    int64_t call_min, call_max;
    struct swi_row_bins bins; /* durations of all calls */
};

struct merged {
    size_t count; /* of logs, by rank */
    struct rank_log *log;
    int64_t world_size;
    size_t rows;
    struct merged_row *row;
    json_t *index; /* "phase\taction" -> number of the row */
    struct step_set steps;
    size_t columns;   /* training steps that all ranks have */
    size_t block;     /* the straggler sees means of so many steps */
    int64_t left_out; /* steps that not all ranks have */
    json_t *wait;     /* names */

    double *most_work, *sum_work, *longest, *least_wait; /* of each column */
    double work_sum, work_max;                           /* of the ranks' totals */

    double load_balance, parallel_efficiency, lost, lost_totals, wait_ns, communication;

    size_t actions; /* of training, for the straggler; the last is the rest of the batch */
    char **action;
    double **value;
    struct swi_straggler straggler;
    int odd; /* logs that were left out, each with a sentence on stderr */
};

/* wait: names of actions that wait for others, or NULL: as the logs say. force: also logs of other
 * jobs. Returns 0; SW_ENOMEM; SW_EFORMAT if there is nothing to merge. Ends in merged_fini() in any
 * case. */
int merge_logs(struct merged *merged, char *const *path, size_t count, const char *const *wait,
               bool force, struct sw_error *err);
void merged_fini(struct merged *merged);

/* The rank of the log with an index. */
int64_t merged_rank(const struct merged *merged, size_t index);

/* Whether a rank has a log. */
bool merged_has(const struct merged *merged, int64_t rank);

double merged_mean(const struct merged *merged, const struct merged_row *row);
double merged_imbalance(const struct merged *merged, const struct merged_row *row);
double merged_call_std(const struct merged_row *row);

#endif
