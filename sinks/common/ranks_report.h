/* SPDX-License-Identifier: MIT */
/* ranks_report.h - a report of all ranks in the form of a report, so that every table shows it as
 * it shows that of a fit. */
#ifndef SINKS_COMMON_RANKS_REPORT_H
#define SINKS_COMMON_RANKS_REPORT_H

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stepwatch/ranks.h>
#include <stepwatch/sink.h>

/* Borrows the texts of ranks. False without memory; swi_ranks_report_fini() is due in any case. */
bool swi_ranks_report_init(struct sw_report *report, const struct sw_ranks *ranks);
void swi_ranks_report_fini(struct sw_report *report);

/* Adds the lines below the table: how many ranks, what is lost, and who keeps the others waiting.
 * Names of the user go through escape. */
void swi_ranks_notes(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape);

/* Adds the name of the file for a report of all ranks beside that of a fit: "out/r.csv" becomes
 * "out/r-ranks.csv"; "-" stays. */
void swi_ranks_path(struct swi_text *text, const char *path);

#endif
