/* SPDX-License-Identifier: MIT */
#include "core/nearest.h"

#include <string.h>

enum { WORD_MAX = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein distance, row by row; a word longer than WORD_MAX is like nothing. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[WORD_MAX + 1];
    if (strlen(a) > WORD_MAX || n > WORD_MAX)
        return WORD_MAX;
    for (size_t k = 0; k <= n; k++)
        row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 1; k <= n; k++) {
            size_t above = row[k];
            row[k] = least(above + 1, row[k - 1] + 1, diagonal + (a[i] != b[k - 1]));
            diagonal = above;
        }
    }
    return row[n];
}

const char *swi_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = 3;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, names[i]);
        if (d < best_distance && 2 * d < strlen(word) + 1) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
