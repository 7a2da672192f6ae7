/* SPDX-License-Identifier: MIT */
/* merged_cells.h - the columns of a merged row as texts, and the sentences below the table. They
 * are the same in all formats for people. */
#ifndef TOOLS_MERGE_MERGED_CELLS_H
#define TOOLS_MERGE_MERGED_CELLS_H

#include "core/text/escape.h"
#include "tools/merge/merged.h"

/* The first columns are the names of phase, action and shape. The others are numbers, some of them
 * with the name of a node. Names go through `escape`, and are cut after a character if they do not
 * fit. */
enum { MERGED_SHAPE = 2, MERGED_NAMES, MERGED_COLUMNS = MERGED_NAMES + 11, MERGED_CELL = 96 };
typedef char merged_cells[MERGED_COLUMNS][MERGED_CELL];

/* Returns whether a column is shown: shapes are only if rows are grouped by them. */
static inline bool merged_shows(const struct merged *merged, int column)
{
    return column != MERGED_SHAPE || merged->by_shape;
}

const char *merged_header(const struct merged *merged, int column);
void merged_row_cells(const struct merged *merged, const struct merged_row *row,
                      swi_escape_fn *escape, merged_cells cell);

/* The same for what the ranks used of a counter. Columns 0 to 2 are names, of the counter the last.
 */
enum { MERGED_USE_NAMES = 3, MERGED_USE_COLUMNS = MERGED_USE_NAMES + 6 };
typedef char merged_use_cells[MERGED_USE_COLUMNS][MERGED_CELL];
const char *merged_use_header(const struct merged *merged, int column);
void merged_use_row_cells(const struct merged *merged, const struct merged_row *row,
                          swi_escape_fn *escape, merged_use_cells cell);
/* Returns the counter of such a row. */
const struct merged_counter *merged_counter_of(const struct merged *merged,
                                               const struct merged_row *row);

/* Called for each sentence, with names as in the logs. */
typedef void merged_note_fn(void *arg, const char *sentence);
void merged_notes(const struct merged *merged, merged_note_fn *note, void *arg);

#endif
