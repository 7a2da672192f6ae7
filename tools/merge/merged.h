/* SPDX-License-Identifier: MIT */
/* merged.h - the merge of the run logs of all ranks, while it is made and after that. */
#ifndef TOOLS_MERGE_MERGED_H
#define TOOLS_MERGE_MERGED_H

#include "core/stragglers/straggler.h"
#include "tools/merge/step_columns.h"
#include "tools/merge/merged_rows.h"
#include "tools/merge/name_table.h"
#include "tools/merge/rank_log.h"
#include "tools/merge/rank_uses.h"
#include "tools/merge/step_set.h"

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
