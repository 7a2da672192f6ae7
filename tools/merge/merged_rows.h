/* SPDX-License-Identifier: MIT */
/* merged_rows.h - the names in the logs of all ranks, and the time of all ranks and of all nodes in
 * each action of each phase. */
#ifndef TOOLS_MERGE_MERGED_ROWS_H
#define TOOLS_MERGE_MERGED_ROWS_H

#include "core/stragglers/duration_bins.h"
#include "core/text/map.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* The names with which each table begins. */
enum { NAME_TRAIN, NAME_STEP, NAME_DRAW, NAME_BATCH };

/* Initialise it as {0} and call names_init(). */
struct name_table {
    struct swi_map texts; /* by number */
};

static inline const char *names_text(const struct name_table *names, int number)
{
    return names->texts.name[number].text;
}

bool names_init(struct name_table *names);
/* Return the number of a text, which is added if it is new, or -1 if out of memory. */
int names_number(struct name_table *names, const char *text, size_t size);
int names_add(struct name_table *names, const char *text);
void names_free(struct name_table *names);

/* ---- rows ------------------------------------------------------------------------------------ */

__extension__ typedef __int128 merged_sum; /* of nanoseconds */

/* The smallest and the largest total, and which rank or node has it; the first of equal ones. */
struct merged_range {
    double min, max;
    int64_t min_at, max_at;
};

/* One action of one phase, or one shape of it, of all ranks. */
struct merged_row {
    int phase, action;
    int shape;            /* number of the text; -1: none, or all shapes together */
    int64_t calls, ranks; /* ranks: how many have any call */
    merged_sum sum;       /* of all ranks */
    merged_sum called;    /* durations of all calls, also of those that the totals lack because they
                           * ran inside a call of the same action */
    merged_sum squares;
    merged_sum of_rank; /* of the current rank */
    int64_t calls_of_rank;
    merged_sum min, max; /* of the totals of the ranks */
    int64_t min_rank, max_rank;
    int64_t with, without; /* the first rank that has it, and the first that does not; -1: none */
    int64_t call_min, call_max;
    struct swi_duration_bins bins; /* durations of all calls */
    int64_t unbinned;              /* calls that are not in the bins */
    merged_sum *of_node;           /* totals by node */
};

/* Initialise it as {.first = -1}. */
struct merged_rows {
    size_t count;
    struct merged_row *item;
    struct swi_map places; /* of rows by their names, until they are sorted */
    int64_t first;         /* the first rank that was read, or -1 */
    size_t nodes;          /* 0: nodes are not needed */
    bool failed;           /* out of memory */
};

/* Returns the row of an action and a shape, or a new one. It is valid until the next call. Returns
 * NULL if out of memory. */
struct merged_row *merged_rows_get(struct merged_rows *rows, int phase, int action, int shape);

/* Adds a call of the current rank. */
void merged_row_call(struct merged_row *row, int64_t ns);

/* Adds a call inside a call of the same action, whose total has it. */
void merged_row_inner(struct merged_row *row, int64_t ns);

/* Call it after all calls of a rank. Ranks must be in ascending order. */
void merged_rows_fold(struct merged_rows *rows, int64_t rank, size_t node);

/* Sorts the rows by phase, action and shape. */
void merged_rows_sort(struct merged_rows *rows, const struct name_table *names);
void merged_rows_free(struct merged_rows *rows);

double merged_call_mean(const struct merged_row *row);
double merged_call_std(const struct merged_row *row);
double merged_quantile(const struct merged_row *row, double share);

#endif
