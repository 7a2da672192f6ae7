/* SPDX-License-Identifier: MIT */
/* findings_notes.h - where the run lost time, as lines below a table. */
#ifndef SINKS_COMMON_FINDINGS_NOTES_H
#define SINKS_COMMON_FINDINGS_NOTES_H

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stepwatch/report.h>

enum { SWI_FINDINGS_SHOWN = 3 };

/* Returns how many findings a report has: none if its core knows none. */
size_t swi_findings_count(const struct sw_report *report);

/* Adds the worst findings, each with what to try in a line of its own; nothing if there are none.
 * Names of the user go through escape. */
void swi_findings_notes(struct swi_text *text, const struct sw_report *report,
                        swi_escape_fn *escape);

/* The row of the table of options for a sink that shows them. */
#define SWI_ADVICE_OPTION(state)                                                                   \
    {                                                                                              \
        .name = "advice", .type = SW_OPTION_BOOL, .offset = offsetof(state, advice),               \
        .fallback = "true",                                                                        \
        .help = "below the table, say where the run lost time and what to try, in at most three "  \
                "findings"                                                                         \
    }

#endif
