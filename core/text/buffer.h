/* SPDX-License-Identifier: MIT */
/* buffer.h - text that grows, and the same text as it may stand in each kind of output. */
#ifndef CORE_TEXT_BUFFER_H
#define CORE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {0}. data is NUL terminated once something was added. Without memory it keeps what it
 * has and sets `failed`: look at that once, when all is written. */
struct swi_text {
    char *data;
    size_t size; /* bytes, without the NUL */
    size_t capacity;
    bool failed;
};

void swi_text_free(struct swi_text *text);
void swi_text_add(struct swi_text *text, const char *bytes, size_t size);
void swi_text_put(struct swi_text *text, const char *string);
void swi_text_fill(struct swi_text *text, char c, size_t count);
void swi_text_integer(struct swi_text *text, int64_t value);
__attribute__((format(printf, 2, 3))) void swi_text_format(struct swi_text *text,
                                                           const char *format, ...);

/* How a name of the user is added to an output: one of these. */
typedef void swi_escape_fn(struct swi_text *text, const char *string);

/* As it is. */
void swi_escape_none(struct swi_text *text, const char *string);
/* Control characters, bidi marks and bytes that are no UTF-8 as \xNN or \u{N}. */
void swi_escape_terminal(struct swi_text *text, const char *string);
/* One cell of text: quoted where it must be, and never a formula (a leading = + - @ gets a quote).
 */
void swi_escape_csv(struct swi_text *text, const char *string);
/* The same for a terminal: control characters, bidi marks and the like as \xNN or \u{N}. */
void swi_escape_csv_terminal(struct swi_text *text, const char *string);
/* One cell or one word: no markup, no link, no HTML, no line break. */
void swi_escape_markdown(struct swi_text *text, const char *string);
/* A whole JSON string with its quotes. A byte that is no UTF-8 becomes the text \xNN. */
void swi_escape_json(struct swi_text *text, const char *string);

/* Characters, not bytes; a byte that is no UTF-8 counts as one. */
size_t swi_text_width(const char *string);

#endif
