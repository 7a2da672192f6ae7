/* SPDX-License-Identifier: MIT */
/* report_output.h - where sinks that write whole tables write: one file for each fit, and standard
 * output only from the first rank of a distributed run. */
#ifndef SINKS_COMMON_REPORT_OUTPUT_H
#define SINKS_COMMON_REPORT_OUTPUT_H

#include "core/text/buffer.h"
#include "sinks/common/option_rows.h"

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

#endif
