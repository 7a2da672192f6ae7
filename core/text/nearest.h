/* SPDX-License-Identifier: MIT */
/* nearest.h - "did you mean": finds the known name that a misspelt one looks like. */
#ifndef CORE_TEXT_NEAREST_H
#define CORE_TEXT_NEAREST_H

#include <stddef.h>

/* Returns the name with the smallest edit distance to word, if it is small enough to be a typo (at
 * most 2, and less than half of the word). Otherwise returns the first name that begins with word,
 * if that has at least four letters, or NULL. Borrowed from names. */
const char *swi_nearest(const char *word, const char *const *names, size_t count);

#endif
