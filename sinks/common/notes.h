/* SPDX-License-Identifier: MIT */
/* notes.h - the lines below a table: what the numbers above do not hold. */
#ifndef SINKS_COMMON_NOTES_H
#define SINKS_COMMON_NOTES_H

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stepwatch/report.h>

/* That a batch was dropped, where one was: the one line that belongs to the table itself. */
void swi_notes_dropped(struct swi_text *text, const struct sw_report *report);

/* That the program ended before the fit did, where it did. */
void swi_notes_interrupted(struct swi_text *text, const struct sw_report *report);

/* Where the time of the fit went, what stepwatch cost, and what was misused or discarded; nothing
 * with `accounting: false`. Names of the user go through escape. That the program ended before the
 * fit did is said in any case. */
void swi_notes_accounting(struct swi_text *text, const struct sw_report *report,
                          swi_escape_fn *escape);

#endif
