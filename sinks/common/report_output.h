/* SPDX-License-Identifier: MIT */
/* report_output.h - for sinks that write whole tables: as Markdown, of all ranks, and where to: one
 * file for each fit, and standard output only from the first rank of a distributed run. */
#ifndef SINKS_COMMON_REPORT_OUTPUT_H
#define SINKS_COMMON_REPORT_OUTPUT_H

#include "core/text/buffer.h"
#include "core/text/escape.h"
#include "sinks/common/grid.h"
#include "sinks/common/option_rows.h"

#include <stepwatch/ranks.h>
#include <stepwatch/sink.h>

#include <stdbool.h>

/* ---- one file for each fit ------------------------------------------------------------------- */

/* Writes the text to the path of the fit and frees it. Returns 0, SW_ENOMEM if the text is
 * incomplete, or the result of sw_sink_replace(). */
int swi_fit_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                       struct sw_error *err);

/* ---- which rank writes ----------------------------------------------------------------------- */

/* The option `ranks` of a sink. Its state needs a field of that name. */
#define SWI_RANKS_OPTION(state)                                                                    \
    SWI_OPTION(                                                                                    \
        CHOICE, state, ranks,                                                                      \
        "which processes of a distributed program write to stdout; all of them write their files", \
        .fallback = "first", .choices = "first|all")

/* Returns whether this process leaves a path to rank 0: the path is "-", unless ranks is "all" or
 * it is not certain which rank this is. */
bool swi_is_left_to_first(const struct sw_run *run, const char *path, const char *ranks);

/* Adds the line below a table on standard output that says which rank it shows and where the
 * results of the others are. Adds nothing for a run of one process. */
void swi_first_rank_note(struct swi_text *text, const struct sw_run *run, const char *path,
                         const char *ranks);

/* ---- a report as Markdown -------------------------------------------------------------------- */

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

/* ---- a report of all ranks as a report ------------------------------------------------------- */

/* Makes the report. It borrows the texts of ranks. Returns false if out of memory. Call
 * swi_ranks_report_fini() in any case. */
bool swi_ranks_report_init(struct sw_report *report, const struct sw_ranks *ranks);
void swi_ranks_report_fini(struct sw_report *report);

/* Adds the lines below the table: the number of ranks, what is lost, and the straggler. Names given
 * by the user are passed to escape. advice: with what to try about the straggler. */
void swi_ranks_notes(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape,
                     bool advice);

/* Like swi_fit_file_write() for the report of all ranks, to a file beside that of a fit:
 * "out/r.csv" becomes "out/r-ranks.csv". "-" stays. */
int swi_ranks_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                         struct sw_error *err);

#endif
