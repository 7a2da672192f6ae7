/* SPDX-License-Identifier: MIT */
/* text.h - prints names given by the user and numbers, for people or programs. */
#ifndef TOOLS_OUTPUT_TEXT_H
#define TOOLS_OUTPUT_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PARAGRAPH_INDENT = 8 };

/* Prints `before` and the text to standard output, every line indented. Control characters of the
 * text are escaped. */
void paragraph_put(int indent, const char *before, const char *text);

enum { TEXT_NUMBER = 32 };

/* Formats a time with four significant digits and its unit: "86.62 ms"; "-" for 0 and values that
 * are not finite. These functions fill buffer[TEXT_NUMBER] and return it. */
const char *text_time(char *buffer, double ns);

/* Formats a number rounded to an integer, with a comma every three digits; "-" if it is not finite.
 */
const char *text_count(char *buffer, double count);

/* Formats a rate like that, but with decimals if it is small: 0.27, 12.5. */
const char *text_rate(char *buffer, double per_second);

/* Formats what was used of a counter with this unit: bytes as 1.50 KB, times with their unit,
 * counts like a rate; "-" if it is not finite. */
const char *text_use(char *buffer, double use, const char *unit);

/* Formats a share of 1 in percent, with one decimal. */
const char *text_share(char *buffer, double share);

/* Prints a name as text of an HTML page: markup as entities; control characters, bidi marks and
 * invalid UTF-8 as \xNN or \u{N}. At most `most` characters, then an ellipsis; 0: all. */
void text_html(FILE *out, const char *name, size_t most);

/* Prints a text for a terminal or a comment, with control characters as in text_html(). */
void text_shown(FILE *out, const char *text, size_t most);

/* Prints it to standard output, padded with blanks to `width` characters. */
void text_put(const char *text, int width);

/* Returns a name for JSON, with bytes that are not UTF-8 as the four characters \xNN. Returns NULL
 * if out of memory. */
json_t *text_json(const char *name);

/* Returns a number for JSON; "NaN", "Infinity" or "-Infinity" if it is not finite. */
json_t *text_json_number(double value);

/* Returns what that function made a value of; NAN of anything else. */
double text_json_value(const json_t *value);

#endif
