/* SPDX-License-Identifier: MIT */
/* text.h - text that grows, and text of others made safe for where it goes. */
#ifndef SINKS_TEXT_H
#define SINKS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text in the making. Zero-initialised is empty. Without memory it stays as it is and says so at
 * the end. */
struct text {
    char *at;
    size_t size;
    size_t room;
    bool failed;
};

void text_add(struct text *text, const char *string);
void text_add_n(struct text *text, const char *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void text_addf(struct text *text, const char *format, ...);
void text_fini(struct text *text);

/* The character that begins at `at` (size bytes are left) as a code point; returns its bytes, 0
 * where they are no UTF-8. */
size_t text_utf8(const char *at, size_t size, uint32_t *code);

/* How many columns a text takes: characters, not bytes. */
size_t text_width(const char *string);

/* Escaped for a terminal: control characters, bidi marks and what is no UTF-8 as \xNN or \u{N}. */
void text_terminal(struct text *text, const char *string);

/* A cell of CSV by RFC 4180. A name that a spreadsheet would run as a formula gets a leading quote
 * (CWE-1236); a number is left alone, so that -134 stays one. */
void text_csv(struct text *text, const char *string, bool name);

/* A cell of a markdown table: no character of it is markup, and it stays on its line. */
void text_markdown(struct text *text, const char *string);

/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void text_json(struct text *text, const char *string);

#endif
