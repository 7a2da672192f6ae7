/* SPDX-License-Identifier: MIT */
/* markdown_report.h - a report as markdown. */
#ifndef SINKS_COMMON_MARKDOWN_REPORT_H
#define SINKS_COMMON_MARKDOWN_REPORT_H

#include "sinks/common/grid.h"

/* Adds the rows of a grid whose names went through swi_escape_markdown(), until the text has so
 * many bytes. padded: the columns are aligned in the text, too. Returns how many rows were added.
 */
size_t swi_markdown_table(struct swi_text *text, const struct swi_grid *grid, bool padded,
                          size_t bytes);

/* Adds the table, each line ended by a newline. */
void swi_markdown_report(struct swi_text *text, const struct sw_report *report, enum swi_form form,
                         enum swi_columns columns);

/* Adds what belongs below the table. */
void swi_markdown_notes(struct swi_text *text, const struct sw_report *report);

#endif
