/* SPDX-License-Identifier: MIT */
/* printable.h - makes untrusted text safe for a line on a terminal. */
#ifndef CORE_TEXT_PRINTABLE_H
#define CORE_TEXT_PRINTABLE_H

#include "core/text/buffer.h"

#include <stepwatch/error.h>

#include <stdio.h>

/* Writes one character of text, or one invalid byte, in a form that may be shown. Returns how many
 * bytes of text it is. */
enum { SWI_CHARACTER_SHOWN = 16 };
size_t swi_printable_character(char shown[SWI_CHARACTER_SHOWN], const char *text, size_t size);

/* Writes text into buffer (size >= 32), with control characters, bidi marks and invalid UTF-8 as
 * \xNN or \u{N}, and without the user parts of addresses. Text that does not fit is cut after a
 * character and ends with "...". Returns buffer. */
const char *swi_printable(char *buffer, size_t size, const char *text);

/* Adds at most `width` characters of a name, with a question mark for each that the terminal cannot
 * print. Returns how many it has added. */
size_t swi_printable_name(struct swi_text *text, const char *name, size_t width, bool utf8);

/* Does swi_printable() with an error's text. The mistakes of a configuration are lines; any other
 * error has one, so its newlines are foreign. */
void swi_printable_error(struct sw_error *err);

/* Calls swi_printable() with a buffer that lives as long as the block, for arguments of a message.
 */
#define SWI_PRINTABLE(text) swi_printable((char[96]){0}, 96, (text))

/* Prints text so that reading it as a value of the configuration returns it: plain if that is safe,
 * else in double quotes, with a dollar as $$ and invalid UTF-8 as U+FFFD. The user and password of
 * a URL are printed as ***. */
void swi_quote_print(const char *text, FILE *out);

/* Prints it always in double quotes, and with nothing hidden. */
void swi_quote_string(const char *text, FILE *out);

#endif
