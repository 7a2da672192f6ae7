/* SPDX-License-Identifier: MIT */
/* escape.h - escapes untrusted text for each kind of output. */
#ifndef CORE_TEXT_ESCAPE_H
#define CORE_TEXT_ESCAPE_H

#include "core/text/buffer.h"

#include <stdarg.h>

/* A function that adds a name given by the user to an output: one of these. */
typedef void swi_escape_fn(struct swi_text *text, const char *string);

/* Returns whether every byte is printable ASCII, but not a quotation mark or a backslash: such text
 * needs escaping for markdown only. Quicker than a look at each byte. */
bool swi_text_is_plain(const char *text, size_t size);

/* Adds the text unchanged. */
void swi_escape_none(struct swi_text *text, const char *string);
/* Writes control characters, bidi marks and invalid UTF-8 as \xNN or \u{N}. */
void swi_escape_terminal(struct swi_text *text, const char *string);
/* Writes a cell of text: quoted if needed, and never a formula (a leading = + - @ gets a quote). */
void swi_escape_csv(struct swi_text *text, const char *string);
/* Does the same for a terminal, with control characters, bidi marks and the like as \xNN or \u{N}.
 */
void swi_escape_csv_terminal(struct swi_text *text, const char *string);
/* Writes a cell or a word without markup, links, HTML or line breaks. */
void swi_escape_markdown(struct swi_text *text, const char *string);
/* Writes a frame of a folded stack, which has no blanks and semicolons: these, and what would
 * control a terminal, become underscores. As many bytes as before. */
void swi_escape_frame(struct swi_text *text, const char *frame, size_t size);
/* Writes a JSON string with its quotes. A byte that is not UTF-8 becomes the text \xNN. */
void swi_escape_json(struct swi_text *text, const char *string);
/* Writes text of an HTML page: markup as entities, the rest as for a terminal. */
void swi_escape_html(struct swi_text *text, const char *string);

/* ---- formats --------------------------------------------------------------------------------- */

/* Adds a text, printf-like: %d, %u and their long forms, %f and %g with a precision, and these:
 *
 * %s is a string as `escape` writes it; %.*s is a text that is added as it is; %g is a number as
 * JSON has it, in the fewest digits. There are no flags and widths. */
__attribute__((format(printf, 3, 4))) void
swi_escape_format(struct swi_text *text, swi_escape_fn *escape, const char *format, ...);
__attribute__((format(printf, 3, 0))) void
swi_escape_vformat(struct swi_text *text, swi_escape_fn *escape, const char *format, va_list args);
/* The same for JSON: %s is a string with its quotes. */
__attribute__((format(printf, 2, 3))) void swi_json_format(struct swi_text *text,
                                                           const char *format, ...);

#endif
