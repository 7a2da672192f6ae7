/* SPDX-License-Identifier: MIT */
/* escape.h - a text of others as it may appear in each kind of output. */
#ifndef CORE_TEXT_ESCAPE_H
#define CORE_TEXT_ESCAPE_H

#include "core/text/buffer.h"

/* How a name of the user is added to an output: one of these. */
typedef void swi_escape_fn(struct swi_text *text, const char *string);

/* As it is. */
void swi_escape_none(struct swi_text *text, const char *string);
/* Control characters, bidi marks and bytes that are not UTF-8 as \xNN or \u{N}. */
void swi_escape_terminal(struct swi_text *text, const char *string);
/* One cell of text: quoted where it must be, and never a formula (a leading = + - @ gets a quote).
 */
void swi_escape_csv(struct swi_text *text, const char *string);
/* The same for a terminal: control characters, bidi marks and the like as \xNN or \u{N}. */
void swi_escape_csv_terminal(struct swi_text *text, const char *string);
/* One cell or one word: no markup, no link, no HTML, no line break. */
void swi_escape_markdown(struct swi_text *text, const char *string);
/* A whole JSON string with its quotes. A byte that is not UTF-8 becomes the text \xNN. */
void swi_escape_json(struct swi_text *text, const char *string);

#endif
