/* SPDX-License-Identifier: MIT */
/* nearest.h - "did you mean": the known name that a misspelt one looks like. */
#ifndef CORE_TEXT_NEAREST_H
#define CORE_TEXT_NEAREST_H

#include <stddef.h>

/* The name among count names with the smallest edit distance to word, if it is small enough to be a
 * typo (at most 2, and less than half of the word); else the first that begins with word, of four
 * letters at least; else NULL. Borrowed from names. */
const char *swi_nearest(const char *word, const char *const *names, size_t count);

#endif
