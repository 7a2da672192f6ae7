/* SPDX-License-Identifier: MIT */
/* merged_cells.h - the tables of a merge as texts, and the sentences below them. They are the same
 * in all formats for people. */
#ifndef TOOLS_MERGE_MERGED_CELLS_H
#define TOOLS_MERGE_MERGED_CELLS_H

#include "core/text/escape.h"
#include "tools/merge/merged.h"

/* The first columns are the names of phase, action, and shape or counter. The others are numbers,
 * some of them with the name of a node. Names go through `escape`, and are cut after a character if
 * they do not fit. */
enum { MERGED_NAMES = 3, MERGED_COLUMNS = MERGED_NAMES + 11, MERGED_CELL = 96 };
typedef char merged_cells[MERGED_COLUMNS][MERGED_CELL];

/* A table: the durations of actions, or what they used of counters. */
struct merged_sheet {
    const struct merged *merged;
    const struct merged_rows *rows;
    bool uses;
    int columns;
};
struct merged_sheet merged_durations(const struct merged *merged);
struct merged_sheet merged_uses(const struct merged *merged);

/* Returns whether a column is shown: shapes are only if rows are grouped by them. */
bool sheet_shows(const struct merged_sheet *sheet, int column);
const char *sheet_header(const struct merged_sheet *sheet, int column);
void sheet_cells(const struct merged_sheet *sheet, const struct merged_row *row,
                 swi_escape_fn *escape, merged_cells cell);

/* Returns the counter of a row of uses. */
const struct merged_counter *merged_counter_of(const struct merged *merged,
                                               const struct merged_row *row);

/* Called for each sentence, with names as in the logs. */
typedef void merged_note_fn(void *arg, const char *sentence);
void merged_notes(const struct merged *merged, merged_note_fn *note, void *arg);

#endif
