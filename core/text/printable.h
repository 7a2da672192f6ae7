/* SPDX-License-Identifier: MIT */
/* printable.h - the text of others as it may appear in a line for a terminal. */
#ifndef CORE_TEXT_PRINTABLE_H
#define CORE_TEXT_PRINTABLE_H

#include <stepwatch/error.h>

/* One character of text, or one byte that is none, as it may be shown; returns how many bytes of
 * text it is. */
enum { SWI_CHARACTER_SHOWN = 16 };
size_t swi_printable_character(char shown[SWI_CHARACTER_SHOWN], const char *text, size_t size);

/* Writes text into buffer (size >= 32): control characters, bidi marks and bytes that are not UTF-8
 * as \xNN or \u{N}, all else as it is; what does not fit is cut at a character and ends in "...".
 * Returns buffer. */
const char *swi_printable(char *buffer, size_t size, const char *text);

/* The same with each line of an error's text, for whoever prints it. */
void swi_printable_error(struct sw_error *err);

/* swi_printable() into a buffer that lives as long as the block: as an argument of a message. */
#define SWI_PRINTABLE(text) swi_printable((char[96]){0}, 96, (text))

#endif
