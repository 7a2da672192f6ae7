/* SPDX-License-Identifier: MIT */
/* notes.h - the lines below a table, with what is not in its numbers. */
#ifndef SINKS_COMMON_NOTES_H
#define SINKS_COMMON_NOTES_H

#include "core/text/buffer.h"
#include "core/text/escape.h"
#include "sinks/common/option_rows.h"

#include <stepwatch/report.h>

/* Adds that a batch was dropped, if one was. This is the only line that belongs to the table
 * itself. */
void swi_notes_dropped(struct swi_text *text, const struct sw_report *report);
/* Says what a negative rate is, if there is one and the report has lines below its table. */
void swi_notes_draw(struct swi_text *text, const struct sw_report *report);

/* Adds that the program ended before the fit did, if so. */
void swi_notes_interrupted(struct swi_text *text, const struct sw_report *report);

/* Adds where the time of the fit went, what stepwatch cost, and what was misused or discarded;
 * nothing with `accounting: false`. Names given by the user are passed to escape. That the program
 * ended before the fit did is added in any case. */
void swi_notes_accounting(struct swi_text *text, const struct sw_report *report,
                          swi_escape_fn *escape);

enum { SWI_FINDINGS_SHOWN = 3 };

/* Returns how many findings a report has: none if its core knows none. */
size_t swi_findings_count(const struct sw_report *report);

/* Adds the worst findings, each with what to try in a line of its own; nothing if there are none.
 * Names of the user go through escape. */
void swi_findings_notes(struct swi_text *text, const struct sw_report *report,
                        swi_escape_fn *escape);

/* The row of the table of options for a sink that shows them. */
#define SWI_ADVICE_OPTION(state)                                                                   \
    SWI_OPTION(                                                                                    \
        BOOL, state, advice,                                                                       \
        "below the table, say where the run lost time and what to try, in at most three findings", \
        .fallback = "true")

#endif
