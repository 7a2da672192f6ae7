/* SPDX-License-Identifier: MIT */
/* ranks_report.h - converts a report of all ranks to a report, so that every table can show it. */
#ifndef SINKS_COMMON_RANKS_REPORT_H
#define SINKS_COMMON_RANKS_REPORT_H

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stepwatch/ranks.h>
#include <stepwatch/sink.h>

/* Makes the report. It borrows the texts of ranks. Returns false if out of memory. Call
 * swi_ranks_report_fini() in any case. */
bool swi_ranks_report_init(struct sw_report *report, const struct sw_ranks *ranks);
void swi_ranks_report_fini(struct sw_report *report);

/* Adds the lines below the table: the number of ranks, what is lost, and the straggler. Names given
 * by the user are passed to escape. advice: with what to try about the straggler. */
void swi_ranks_notes(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape,
                     bool advice);

/* Adds the path for the report of all ranks, beside that of a fit: "out/r.csv" becomes
 * "out/r-ranks.csv". "-" stays. */
void swi_ranks_path(struct swi_text *text, const char *path);

#endif
