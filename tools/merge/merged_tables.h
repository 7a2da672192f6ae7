/* SPDX-License-Identifier: MIT */
/* merged_tables.h - the tables of a merge: durations of actions, and what they used of counters.
 * All formats are made of the same columns. */
#ifndef TOOLS_MERGE_MERGED_TABLES_H
#define TOOLS_MERGE_MERGED_TABLES_H

#include "core/text/escape.h"
#include "tools/merge/merged.h"

enum column_kind {
    TEXT,
    COUNT, /* without commas for people, too */
    CALLS,
    VALUE, /* a time, or what was used of a counter */
    WAIT,
    SHARE,
    LEAST, /* the smallest value, and the rank or node that has it */
    MOST,
    TOTAL,  /* of all ranks */
    PARTIAL /* the log that differs from most */
};

enum { PEOPLE = 1, CSV = 2, JSON = 4, PROGRAMS = CSV | JSON, ALL = PEOPLE | CSV | JSON };

struct merged_column {
    const char *key, *header; /* for programs and for people */
    enum column_kind kind;
    size_t offset; /* in struct merged_row */
    unsigned in;   /* the formats that have it at this place */
};

/* A table: the columns that one format has. */
enum { COLUMNS = 20 };
struct sheet {
    const struct merged *merged;
    const struct merged_rows *rows;
    int columns;
    const struct merged_column *column[COLUMNS];
};

struct sheet sheet_of(const struct merged *merged, bool uses, unsigned format);

static inline const void *sheet_at(const struct merged_column *column, const struct merged_row *row)
{
    return (const char *)row + column->offset;
}

static inline const char *sheet_text(const struct merged_column *column,
                                     const struct merged_row *row)
{
    return *(const char *const *)sheet_at(column, row);
}

static inline int64_t sheet_count(const struct merged_column *column, const struct merged_row *row)
{
    return *(const int64_t *)sheet_at(column, row);
}

static inline double sheet_value(const struct merged_column *column, const struct merged_row *row)
{
    return *(const double *)sheet_at(column, row);
}

static inline bool sheet_has_place(const struct merged_column *column)
{
    return column->kind == LEAST || column->kind == MOST;
}

/* Returns the number of the rank or node with the smallest or largest value. */
static inline int64_t sheet_place(const struct merged_column *column, const struct merged_row *row)
{
    return column->kind == LEAST ? row->is.min_rank : row->is.max_rank;
}

/* Sets the text for people of a cell of line 0, which has the headers, or of line n, which has row
 * n - 1. Returns it. Names go through `escape`, and are cut after a character if they are long. */
const char *sheet_cell(struct swi_text *text, const struct sheet *sheet, size_t line, int column,
                       swi_escape_fn *escape);

/* Prints both tables for people, or the first if there are no counters. */
void sheets_print(const struct merged *merged, void (*print)(const struct sheet *sheet),
                  const char *between);

#endif
