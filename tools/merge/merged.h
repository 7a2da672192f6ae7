/* SPDX-License-Identifier: MIT */
/* merged.h - merging the run logs of all ranks of a distributed run: which logs, what is added up
 * of them, and what is shown. */
#ifndef TOOLS_MERGE_MERGED_H
#define TOOLS_MERGE_MERGED_H

#include "core/stragglers/straggler.h"
#include "core/text/map.h"
#include "tools/log/log_lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the log of a rank (rank_logs.c) --------------------------------------------------------- */

/* The blocks of `width` steps in a summary: numbers first..first + count - 1. Block n begins with
 * step n * width. */
struct block_shape {
    int64_t width, first, count; /* count 0: there are none */
};

/* Returns the shape of the blocks of a line; their width is 0 if it is damaged. */
struct block_shape block_shape_of(const struct log_value *line);

/* What is wrong with a log. */
enum log_mark {
    LOG_TORN = 1,       /* the last line is incomplete */
    LOG_THINNED = 2,    /* steps that were read are sums of several */
    LOG_UNFINISHED = 4, /* the run did not end normally */
    LOG_STOPPED = 8,    /* it did not, and the last line is whole */
    LOG_DAMAGED = 16    /* lines were left out that are damaged */
};

/* A run log, or its summary, which is a short log: the head with the rank, and the lines. */
struct rank_log {
    char *path;
    struct log_value *head;              /* its first line */
    const char *name, *host, *job, *run; /* in that line; "" if they are not */
    int64_t rank;                        /* -1 if the log does not say it */
    int64_t world_size;                  /* 0 if not known */
    int64_t attempt, pid;
    double started_s;
    off_t size;   /* of the file */
    size_t order; /* position among the given paths */
    size_t node;  /* number of the host */
    struct block_shape blocks;
    bool drop_first_batch;
    unsigned marks; /* enum log_mark */
    bool has_steps; /* the log has steps */
};

/* Called with a line of a log. Returns false if it is damaged. */
typedef bool log_line_fn(void *arg, enum line_type type, const struct log_value *line);

/* ---- the steps of one phase in a log (step_set.c) -------------------------------------------- */

/* Steps are usually consecutive, so a few ranges are enough for any number of steps. */

/* Each step of first..last occurs `times` times: validation steps have the number of the training
 * step before them. */
struct step_range {
    int64_t first, last;
    int64_t times;
    size_t column; /* of the first one, after step_set_number() */
};

/* Initialise it as {0}. */
struct step_set {
    struct step_range *item; /* in ascending order */
    size_t count, room;
    bool failed; /* out of memory */
};

/* Adds a step, so many times. Returns how many times it was there before. */
int64_t step_set_add(struct step_set *set, int64_t step, int64_t times);

/* Adds steps that come after all others. Returns false, and adds nothing, if they do not. */
bool step_set_append(struct step_set *set, int64_t first, int64_t last);

/* Returns how many steps from `step` up to `last` are in one range, or in none. range: set to it,
 * or NULL. */
int64_t step_set_alike(const struct step_set *set, int64_t step, int64_t last,
                       const struct step_range **range);

/* Returns the range of a step, or NULL. */
const struct step_range *step_set_find(const struct step_set *set, int64_t step);

/* Keeps only the steps that the other set has too. Returns whether the set is smaller now. */
bool step_set_intersect(struct step_set *set, const struct step_set *other);

/* Adds the steps that only the other set has, or has more often. */
void step_set_unite(struct step_set *set, const struct step_set *other);

/* Returns how many steps there are, each as often as it occurs. */
int64_t step_set_steps(const struct step_set *set);

/* Numbers the steps, each once. Returns how many there are. */
size_t step_set_number(struct step_set *set);

/* Empties the set and keeps its memory. */
void step_set_clear(struct step_set *set);
void step_set_free(struct step_set *set);

/* ---- rows (merged_rows.c) -------------------------------------------------------------------- */

/* The numbers of the names with which each table begins. */
enum { NAME_TRAIN, NAME_STEP, NAME_DRAW, NAME_BATCH };

/* A counter that some rank has. */
struct merged_counter {
    int name; /* number of the name */
    char unit[8];
    bool peak;
};

/* One action of one phase, or one shape of it, or its use of a counter, of all ranks. */
struct merged_row {
    struct sw_ranks_row is; /* as in every report of all ranks; known at the end. By node, the
                             * smallest and largest values are means of a node's ranks, and their
                             * ranks are numbers of nodes */
    double wait_ns;         /* that all ranks would wait if each waited for the slowest */
    const char *third;      /* name of the shape or counter; "": none */
    const char *unit;       /* of the counter */
    const struct merged_counter *counter; /* NULL: durations */
    int phase, action;                    /* numbers of the names */
    int shape;                            /* or counter; -1: none, or all shapes together */
    struct swi_rank_sum all;              /* ranks that were read */
    struct swi_rank_sum own;              /* the current rank */
    int64_t with, without; /* the first rank that has it, and the first that does not; -1: none */
    int64_t call_min, call_max;
    struct swi_duration_bins bins; /* durations of all calls */
    int64_t unbinned;              /* calls that are not in the bins */
    swi_rank_ns *of_node;          /* totals by node */
};

/* Initialise it as {.first = -1}. */
struct merged_rows {
    size_t count;
    struct merged_row *item;
    struct swi_map places; /* of rows by their names, until they are sorted */
    int64_t first;         /* the first rank that was read, or -1 */
    size_t nodes;          /* 0: nodes are not needed */
};

/* Adds calls of the current rank that took so long together: each the same, except for rounding.
 * inner: inside calls of the same action, whose total has them. */
void merged_row_calls(struct merged_row *row, int64_t ns, int64_t calls, bool inner);

/* Counters, and what the ranks used of them. */
struct rank_uses {
    struct merged_rows rows;
    size_t count;
    struct merged_counter *counter;
    size_t named; /* counters that the current log has named, in its order */
    size_t *order;
};

/* ---- columns of the steps (step_columns.c) --------------------------------------------------- */

/* The most bytes for the search for the slow rank. */
enum { COLUMNS_MEMORY = 128 << 20 };

/* Work and wait of the current rank and of all, in several columns. */
struct column_group {
    double work, wait;
    double most_work, sum_work, longest, least_wait;
};

/* Initialise it as {0}. */
struct columns {
    size_t count; /* steps, or blocks of steps, that all ranks have */
    size_t ranks;
    double weight;        /* steps in each column */
    size_t block, blocks; /* the search uses means of `block` columns; `blocks` is their number */
    size_t each, groups;  /* the balance uses sums of `each` columns; `groups` is their number */
    struct column_group *group;
    size_t actions;
    struct swi_rank_action *action; /* value[rank * blocks + block] */
    double *own; /* own[action * blocks + block]: of the current rank, added up before they are
                  * rounded */
    size_t read; /* ranks that were read */
    double work_sum, work_max; /* of the ranks' totals */
};

/* Shares of the time of all steps. */
struct balance {
    double load_balance, parallel_efficiency, lost, lost_totals, wait_ns, communication;
};

/* Returns how many bytes one column of all ranks takes in the search. */
size_t columns_cost(size_t ranks, size_t actions);
struct balance columns_balance(const struct columns *columns);

/* ---- the merged run -------------------------------------------------------------------------- */

/* A host, and how many ranks it has: none if its logs were left out. */
struct merged_node {
    char *host;
    int64_t ranks;
};

struct merged {
    struct sw_ranks ranks; /* as of an engine that joins the ranks while they run */
    size_t count;          /* of logs, sorted by rank */
    struct rank_log *log;
    struct swi_map names; /* of phases, actions, shapes and counters */
    struct merged_rows rows;
    struct rank_uses uses;     /* what they used of counters */
    bool from_reports;         /* rows are from the reports of the ranks, not from steps */
    off_t unread;              /* bytes of steps that were not read because there are too many */
    struct step_set common[2]; /* steps that all logs have: of validation, of training */
    struct columns columns;
    int64_t left_out; /* steps that some ranks have, but not all of them */
    size_t waits;
    int *waiting;  /* numbers of these names */
    bool by_shape; /* each shape of an action has a row */
    bool by_node;
    size_t nodes;
    struct merged_node *node;
    struct balance balance;
    struct swi_straggler straggler;
    struct swi_text sentence; /* about it */
    int odd;                  /* logs that were left out, each with a message on stderr */
    bool failed;              /* out of memory: what is read is not complete */
};

struct merge_options {
    const char *const *wait; /* names of actions that wait for others; none: those in the logs */
    bool force;              /* accept logs of other jobs */
    bool steps;              /* read steps, however many there are */
    bool by_node;
    bool by_shape; /* rows by the shape of an action's input */
};

/* Returns 0, SW_ENOMEM, or SW_EFORMAT if there is nothing to merge. Call merged_fini() in any case.
 */
int merge_logs(struct merged *merged, char *const *path, size_t count,
               const struct merge_options *options, struct sw_error *err);
void merged_fini(struct merged *merged);

/* ---- parts of merge_logs() ------------------------------------------------------------------- */

/* Fills the logs of merged, sorted by rank, and its nodes. Other files are left out and reported on
 * stderr. Returns 0, SW_ENOMEM, or SW_EFORMAT if there is none. */
int logs_find(struct merged *merged, char *const *path, size_t count, bool force,
              struct sw_error *err);
void logs_free(struct merged *merged);

/* Prints to stderr that a log is left out, and why: "FILE: has no report; it is left out". */
void log_leave_out(struct merged *merged, struct rank_log *log, const char *why);

/* Removes the logs that were left out from the list. */
void logs_compact(struct merged *merged);

/* Reads the lines of a log after the first, and skips damaged ones. Sets its marks. tail:
 * if the file is larger, reads only lines that begin in that many last bytes; 0: all. Returns 0,
 * SW_EIO, or SW_ENOMEM, also if the function has set merged->failed. */
int rank_log_read(struct merged *merged, struct rank_log *log, log_line_fn *take, void *arg,
                  off_t tail, struct sw_error *err);

/* Fill rows and columns, from steps or from the reports that the ranks made themselves: those of
 * summaries, and of logs without steps. Return 0, SW_ENOMEM, or SW_EFORMAT if no log has a finished
 * step or a report. */
int merge_steps(struct merged *merged, struct sw_error *err);
int merge_reports(struct merged *merged, struct sw_error *err);

/* Return the number of a text, which is added if it is new. Return -1 and set merged->failed if out
 * of memory. */
int merged_number(struct merged *merged, const char *text, size_t size);
int merged_name(struct merged *merged, const char *text);

/* Returns whether an action waits for other ranks. */
bool merged_waits(const struct merged *merged, int action);

/* Returns the row of an action and a shape, or a new one. It is valid until the next call. Returns
 * NULL and sets merged->failed if out of memory. */
struct merged_row *merged_row(struct merged *merged, int phase, int action, int shape);

/* Frees all rows, and begins again for the first rank. */
void merged_rows_begin(struct merged *merged);
/* Call it after all data of a rank. Ranks must be in ascending order. */
void merged_rows_fold(struct merged *merged, const struct rank_log *log);
/* Sorts the rows by phase, action and shape, and completes them. */
void merged_rows_end(struct merged *merged);
void merged_rows_free(struct merged *merged);

/* Begins the counters of the next log, with those in its head. */
void merged_uses_begin(struct merged *merged, const struct rank_log *log);
/* Takes a line that names the next counter. */
void merged_uses_name(struct merged *merged, const struct log_value *counter);
/* Returns a counter, and adds it if no log has named it. Returns NULL and sets merged->failed if
 * out of memory. */
struct merged_counter *merged_counter(struct merged *merged, int name);
/* Adds what calls of an action of the current rank used. */
void merged_uses_add(struct merged *merged, int phase, int action,
                     const struct merged_counter *counter, int64_t total, int64_t calls);

/* actions: about how many there are. Returns false if out of memory. */
bool columns_make(struct merged *merged, size_t count, double weight, size_t actions);
/* Adds time in an action of the current rank: the same in each of `count` columns from one on. */
void columns_put(struct merged *merged, int action, size_t column, size_t count, double ns);
/* Call it after all data of a rank. */
void columns_fold(struct columns *columns);
/* Finds who keeps the others waiting. Returns false if out of memory. */
bool columns_search(struct merged *merged);
void columns_free(struct columns *columns);

/* ---- what is shown --------------------------------------------------------------------------- */

/* Returns how many ranks before a log have none, and sets the first of them. log: its index; their
 * count: after the last. */
int64_t merged_gap(const struct merged *merged, size_t log, int64_t *first);

/* A log that differs from most: it has an action that most do not have, or lacks one. */
struct merged_partial {
    const char *path; /* of the first rank of these */
    bool has;
};
/* Returns whether some ranks do not have the action of a row. */
bool merged_partial(const struct merged *merged, const struct merged_row *row,
                    struct merged_partial *partial);

/* Called for each sentence, with names as in the logs. */
typedef void merged_note_fn(void *arg, const char *sentence);
void merged_notes(const struct merged *merged, merged_note_fn *note, void *arg);

/* Print a merge to standard output, for people and for programs. */
void merged_table(const struct merged *merged);
void merged_markdown(const struct merged *merged);
void merged_html(const struct merged *merged);
void merged_csv(const struct merged *merged);
void merged_json(const struct merged *merged);

#endif
