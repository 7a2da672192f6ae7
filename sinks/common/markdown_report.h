/* SPDX-License-Identifier: MIT */
/* markdown_report.h - writes a report as markdown. */
#ifndef SINKS_COMMON_MARKDOWN_REPORT_H
#define SINKS_COMMON_MARKDOWN_REPORT_H

#include "sinks/common/grid.h"

/* Adds the rows of a grid until the text has this many bytes. The names must have been escaped with
 * swi_escape_markdown(). padded: align the columns in the text. Returns how many rows were added.
 */
size_t swi_markdown_table(struct swi_text *text, const struct swi_grid *grid, bool padded,
                          size_t bytes);

/* Adds the table, each line ended by a newline. */
void swi_markdown_report(struct swi_text *text, const struct sw_report *report, enum swi_form form,
                         enum swi_columns columns);

/* Adds the lines below the table. */
void swi_markdown_notes(struct swi_text *text, const struct sw_report *report);

#endif
