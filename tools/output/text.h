/* SPDX-License-Identifier: MIT */
/* text.h - names of the user and numbers, as a person or a program may read them. */
#ifndef TOOLS_OUTPUT_TEXT_H
#define TOOLS_OUTPUT_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_NUMBER = 32 };

/* A time with four significant digits and its unit: "86.62 ms"; "-" for 0 and what is not finite.
 * Each fills buffer[TEXT_NUMBER] and returns it. */
const char *text_time(char *buffer, double ns);

/* Rounded to an integer, with a comma each three digits; "-" if there is none. */
const char *text_count(char *buffer, double count);

/* Like that, with digits after the point if there is no room for rounding: 0.27, 12.5. */
const char *text_rate(char *buffer, double per_second);

/* A share of 1 in percent, one digit after the point. */
const char *text_share(char *buffer, double share);

/* A name as text of an HTML page: markup as entities; control characters, bidi marks and bytes that
 * are not UTF-8 shown as \xNN or \u{N}. At most `most` characters, then an ellipsis; 0: all. */
void text_html(FILE *out, const char *name, size_t most);

/* A text on a terminal or in a comment: control characters and the like as in text_html(). */
void text_shown(FILE *out, const char *text, size_t most);

/* The same on standard output, at least `width` characters wide: blanks after it. */
void text_put(const char *text, int width);

/* A name for JSON: a byte that is not UTF-8 becomes the four characters \xNN. NULL if out of
 * memory. */
json_t *text_json(const char *name);

/* A number for JSON, where what is not finite is "NaN", "Infinity" or "-Infinity". */
json_t *text_json_number(double value);

#endif
