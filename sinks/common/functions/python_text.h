/* SPDX-License-Identifier: MIT */
/* python_text.h - regular expressions and quotes as Python writes them. */
#ifndef SINKS_COMMON_FUNCTIONS_PYTHON_TEXT_H
#define SINKS_COMMON_FUNCTIONS_PYTHON_TEXT_H

#include "core/text/buffer.h"

#include <regex.h>

/* Compiles an expression of Python for regexec(), without subexpressions. Returns what regcomp()
 * returns, and REG_BADPAT for a backslash and a letter that is none of A, b, B, d, D, n, s, S, t,
 * w, W and Z, or in brackets none of d, n, s, t and w. Flags, look-around and Unicode classes are
 * not supported. */
int python_regex(regex_t *regex, const char *pattern);

/* Appends the text in quotes, as repr() does; control characters are left as they are. */
void python_repr(struct swi_text *out, const char *text);

#endif
