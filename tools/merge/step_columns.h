/* SPDX-License-Identifier: MIT */
/* step_columns.h - durations of training steps side by side, a row for each rank: how balanced they
 * are, and who keeps the others waiting. What is kept does not grow beyond a limit. */
#ifndef TOOLS_MERGE_STEP_COLUMNS_H
#define TOOLS_MERGE_STEP_COLUMNS_H

#include "core/balance/straggler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the search for the slow rank may take. */
enum { COLUMNS_MEMORY = 256 << 20 };

/* How much one column of all ranks takes in the search. */
size_t columns_cost(size_t ranks, size_t actions);

/* One action: the time of each rank in each block of columns. */
struct column_action {
    int name;
    double *value; /* [rank * blocks + block] */
};

/* Begins as {0}. */
struct columns {
    size_t count; /* steps, or blocks of steps, that all ranks have */
    size_t ranks;
    double weight;        /* steps that a column stands for */
    size_t block, blocks; /* the search sees means of so many columns; how many these are */
    size_t group, groups; /* the balance sees sums of so many columns */
    size_t actions;
    struct column_action *action;
    double *work, *wait; /* of the rank that is being read, by group */
    double *most_work, *sum_work, *longest, *least_wait; /* of all ranks, by group */
    size_t read;                                         /* ranks that were read */
    double work_sum, work_max;                           /* of the ranks' totals */
    bool failed;                                         /* no memory */
};

/* actions: about how many there are. False without memory. */
bool columns_make(struct columns *columns, size_t count, double weight, size_t ranks,
                  size_t actions);
/* Adds time in an action of the rank that is being read. waits: it is waiting for others. */
void columns_put(struct columns *columns, int action, size_t column, double ns, bool waits);
/* After all of a rank. */
void columns_fold(struct columns *columns);
void columns_free(struct columns *columns);

/* Shares of the time of all steps. */
struct balance {
    double load_balance, parallel_efficiency, lost, lost_totals, wait_ns, communication;
};
struct balance columns_balance(const struct columns *columns);

#endif
