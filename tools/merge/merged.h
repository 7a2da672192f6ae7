/* SPDX-License-Identifier: MIT */
/* merged.h - the merge of the run logs of all ranks, while it is made and after that. */
#ifndef TOOLS_MERGE_MERGED_H
#define TOOLS_MERGE_MERGED_H

#include "core/stragglers/straggler.h"
#include "tools/log/log_lines.h"
#include "tools/merge/merged_rows.h"
#include "tools/merge/rank_log.h"
#include "tools/merge/step_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- columns of the steps -------------------------------------------------------------------- */

/* The most bytes for the search for the slow rank. */
enum { COLUMNS_MEMORY = 256 << 20 };

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

/* Shares of the time of all steps. */
struct balance {
    double load_balance, parallel_efficiency, lost, lost_totals, wait_ns, communication;
};

/* Returns how many bytes one column of all ranks takes in the search. */
size_t columns_cost(size_t ranks, size_t actions);
/* actions: about how many there are. Returns false if out of memory. */
bool columns_make(struct columns *columns, size_t count, double weight, size_t ranks,
                  size_t actions);
/* Adds time in an action of the current rank. waits: the action waits for others. */
void columns_put(struct columns *columns, int action, size_t column, double ns, bool waits);
/* Call it after all data of a rank. */
void columns_fold(struct columns *columns);
void columns_free(struct columns *columns);
struct balance columns_balance(const struct columns *columns);

/* ---- the merged run -------------------------------------------------------------------------- */

/* ---- counters of the ranks ------------------------------------------------------------------- */

/* A counter that some rank has. */
struct merged_counter {
    int name; /* number of the name */
    char unit[8];
    bool peak;
};

/* Initialise it as {.rows = {.first = -1}}. In its rows, the shape is the name of the counter. */
struct rank_uses {
    struct merged_rows rows;
    size_t count;
    struct merged_counter *counter;
    size_t named; /* counters that the current log has named, in its order */
    size_t *order;
};

/* Begins the next log. named: the list in its head, or NULL. Returns false if out of memory. */
bool rank_uses_begin(struct rank_uses *uses, struct name_table *names,
                     const struct log_value *named);
/* Takes a line that names the next counter. Returns false if out of memory. */
bool rank_uses_name(struct rank_uses *uses, struct name_table *names,
                    const struct log_value *counter);
/* Returns counter `index` of the current log, or NULL. */
const struct merged_counter *rank_uses_at(const struct rank_uses *uses, size_t index);
/* Returns the counter with this name, or NULL. */
const struct merged_counter *rank_uses_find(const struct rank_uses *uses, int name);
/* Returns it, and adds it if no log has named it. Returns NULL if out of memory. */
const struct merged_counter *rank_uses_get(struct rank_uses *uses, int name);
/* Adds what an action of the current rank used. */
void rank_uses_add(struct rank_uses *uses, int phase, int action,
                   const struct merged_counter *counter, int64_t total);
void rank_uses_free(struct rank_uses *uses);

/* ---- the merged run -------------------------------------------------------------------------- */

/* A host, and how many ranks it has: none if its logs were left out. */
struct merged_node {
    char *host;
    int64_t ranks;
};

struct merged {
    size_t count; /* of logs, sorted by rank */
    struct rank_log *log;
    int64_t world_size;
    struct name_table names;
    struct merged_rows rows;
    struct rank_uses uses;     /* what they used of counters */
    bool from_reports;         /* rows are from the reports of the ranks, not from steps */
    off_t unread;              /* bytes of steps that were not read because there are too many */
    struct step_set common[2]; /* steps that all logs have: of validation, of training */
    struct columns columns;
    int64_t steps;          /* of training, that all ranks have */
    int64_t left_out;       /* steps that some ranks have, but not all of them */
    int64_t block;          /* the search for the slow rank uses means of this many steps */
    struct log_value *wait; /* names, from the log of the lowest rank */
    size_t waits;
    int *waiting;  /* numbers of these names */
    bool by_shape; /* each shape of an action has a row */
    bool by_node;
    size_t nodes;
    struct merged_node *node;
    struct balance balance;
    struct swi_straggler straggler;
    int odd; /* logs that were left out, each with a message on stderr */
};

/* Returns whether an action waits for other ranks. */
bool merged_waits(const struct merged *merged, int action);

/* Returns whether a rank has a log. */
bool merged_has(const struct merged *merged, int64_t rank);

const char *merged_phase(const struct merged *merged, const struct merged_row *row);
const char *merged_action(const struct merged *merged, const struct merged_row *row);
const char *merged_shape(const struct merged *merged, const struct merged_row *row); /* "": none */

/* Statistics of the totals of the ranks or, by node, of the means of each node's ranks. */
struct merged_totals {
    double min, mean, max;
    int64_t min_at, max_at; /* number of the rank or of the node */
    double imbalance;
};
struct merged_totals merged_totals(const struct merged *merged, const struct merged_row *row);

/* A log that differs from most: it has an action that most do not have, or lacks one. */
struct merged_partial {
    const char *path; /* of the first rank of these */
    bool has;
};
/* Returns whether some ranks do not have the action of a row. */
bool merged_partial(const struct merged *merged, const struct merged_row *row,
                    struct merged_partial *partial);

/* Returns the total time that all ranks would wait if each waited for the slowest of this row. */
double merged_wait(const struct merged *merged, const struct merged_row *row);

#endif
