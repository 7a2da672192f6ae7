/* SPDX-License-Identifier: MIT */
#include "core/text/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Returns the edit distance, calculated row by row. Two swapped neighbours are one edit ("cvs" for
 * "csv"). A word longer than WORD_MAX is similar to nothing. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), rows[3][WORD_MAX + 1];
    if (strlen(a) > WORD_MAX || n > WORD_MAX)
        return WORD_MAX;
    for (size_t k = 0; k <= n; k++)
        rows[0][k] = k;
    size_t i = 0;
    for (; a[i]; i++) {
        const size_t *before = rows[(i + 2) % 3], *above = rows[i % 3];
        size_t *row = rows[(i + 1) % 3];
        row[0] = i + 1;
        for (size_t k = 1; k <= n; k++) {
            bool swapped = i > 0 && k > 1 && a[i] == b[k - 2] && a[i - 1] == b[k - 1];
            row[k] = least(above[k] + 1, row[k - 1] + 1, above[k - 1] + (a[i] != b[k - 1]));
            if (swapped && before[k - 2] + 1 < row[k])
                row[k] = before[k - 2] + 1;
        }
    }
    return rows[i % 3][n];
}

/* Returns the name that begins with word: logger_callback for logger. */
static const char *begun(const char *word, const char *const *names, size_t count)
{
    size_t length = strlen(word);
    for (size_t i = 0; length >= 4 && i < count; i++)
        if (strncmp(word, names[i], length) == 0)
            return names[i];
    return NULL;
}

const char *swi_nearest(const char *word, const char *const *names, size_t count)
{
    size_t best = count, best_distance = 3;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, names[i]);
        if (d < best_distance && 2 * d < strlen(word) + 1) {
            best = i;
            best_distance = d;
        }
    }
    return best < count ? names[best] : begun(word, names, count);
}
