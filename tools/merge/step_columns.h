/* SPDX-License-Identifier: MIT */
/* step_columns.h - durations of training steps side by side, with a row for each rank: how balanced
 * they are, and who keeps the others waiting. The memory is limited. */
#ifndef TOOLS_MERGE_STEP_COLUMNS_H
#define TOOLS_MERGE_STEP_COLUMNS_H

#include "core/stragglers/straggler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes for the search for the slow rank. */
enum { COLUMNS_MEMORY = 256 << 20 };

/* Returns how many bytes one column of all ranks takes in the search. */
size_t columns_cost(size_t ranks, size_t actions);

/* One action: the time of each rank in each block of columns. */
struct column_action {
    int name;
    double *value; /* [rank * blocks + block] */
};

/* Initialise it as {0}. */
struct columns {
    size_t count; /* steps, or blocks of steps, that all ranks have */
    size_t ranks;
    double weight;        /* steps in each column */
    size_t block, blocks; /* the search uses means of `block` columns; `blocks` is their number */
    size_t group, groups; /* the balance uses sums of `group` columns; `groups` is their number */
    size_t actions;
    struct column_action *action;
    double *work, *wait;                                 /* of the current rank, by group */
    double *most_work, *sum_work, *longest, *least_wait; /* of all ranks, by group */
    size_t read;                                         /* ranks that were read */
    double work_sum, work_max;                           /* of the ranks' totals */
    bool failed;                                         /* out of memory */
};

/* actions: about how many there are. Returns false if out of memory. */
bool columns_make(struct columns *columns, size_t count, double weight, size_t ranks,
                  size_t actions);
/* Adds time in an action of the current rank. waits: the action waits for others. */
void columns_put(struct columns *columns, int action, size_t column, double ns, bool waits);
/* Call it after all data of a rank. */
void columns_fold(struct columns *columns);
void columns_free(struct columns *columns);

/* Shares of the time of all steps. */
struct balance {
    double load_balance, parallel_efficiency, lost, lost_totals, wait_ns, communication;
};
struct balance columns_balance(const struct columns *columns);

#endif
