/* SPDX-License-Identifier: MIT */
/* value_table.h - tables, histograms and levels of the program as text. */
#ifndef SINKS_COMMON_VALUE_TABLE_H
#define SINKS_COMMON_VALUE_TABLE_H

#include "core/text/buffer.h"

#include <stepwatch/value_records.h>

/* Returns whether a cell is missing. */
bool swi_cell_is_missing(const struct sw_table_column *column, size_t row);

/* Adds a cell for JSON: null if it is missing. */
void swi_cell_json(struct swi_text *text, const struct sw_table_column *column, size_t row);

/* Adds the names of the columns as a JSON array. */
void swi_columns_json(struct swi_text *text, const struct sw_table *table);

/* Adds the rows of a table as a JSON array of arrays. cell: adds one cell, like swi_cell_json(). */
void swi_rows_json(struct swi_text *text, const struct sw_table *table,
                   void (*cell)(struct swi_text *text, const struct sw_table_column *column,
                                size_t row));

/* Adds the edges of the bins of a histogram as a JSON array: one more than bins. around: the first
 * is so much lower, and the last so much higher. */
void swi_edges_json(struct swi_text *text, const struct sw_bins *bins, double around);

/* Adds how many values each bin has as a JSON array. */
void swi_counts_json(struct swi_text *text, const struct sw_bins *bins);

/* Returns 0, 1 or 2: an alert may have any level. */
static inline int swi_level_of(int level)
{
    return level < 0 ? 0 : level > 2 ? 2 : level;
}

/* Returns note, warning or error. */
const char *swi_level_word(int level);

/* Adds a text for a cell of a pipe table of Markdown, in one line. */
void swi_cell_words(struct swi_text *text, const char *words);

/* Adds a pipe table of Markdown with at most this many rows and about this many bytes, and below it
 * the number of rows that were left out. */
void swi_value_table_markdown(struct swi_text *text, const struct sw_table *table, size_t rows,
                              size_t bytes);

#endif
