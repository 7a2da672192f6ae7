/* SPDX-License-Identifier: MIT */
#include "core/text/names.h"
#include "core/text/characters.h"
#include "core/text/map.h"
#include "core/text/parts.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CHECKSUM = 9, SHOWN = 60 };

/* Written by the thread that took it, before `told`. */
static struct {
    atomic_flag taken;
    atomic_bool reported;
    char name[SHOWN + 1];
    size_t bytes, most;
} first = {.taken = ATOMIC_FLAG_INIT};

static void first_keep(const char *name, size_t bytes, size_t most)
{
    if (atomic_flag_test_and_set(&first.taken))
        return;
    memcpy(first.name, name, swi_utf8_fit(name, SHOWN));
    first.bytes = bytes;
    first.most = most;
    atomic_store(&first.reported, true);
}

const char *swi_name_shorten(const char *name, size_t most, char *room)
{
    if (strnlen(name, most + 1) <= most)
        return name;
    size_t length, kept = swi_utf8_fit(name, most - CHECKSUM);
    uint32_t checksum = swi_hash(name, SIZE_MAX, &length);
    memcpy(room, name, kept);
    snprintf(room + kept, CHECKSUM + 1, "-%08x", (unsigned)checksum);
    if (most > SWI_FILE_PART_MAX)
        first_keep(name, length, most);
    return room;
}

bool swi_name_was_shortened(void)
{
    return atomic_load_explicit(&first.reported, memory_order_acquire);
}

const char *swi_name_shortened_first(size_t *bytes, size_t *most)
{
    *bytes = first.bytes;
    *most = first.most;
    return first.name;
}

/* ---- names of files that are taken ----------------------------------------------------------- */

size_t swi_length_unpacked(const char *path)
{
    size_t size = strlen(path), ending = swi_ends(path, ".gz") ? 3 : swi_ends(path, ".zst") ? 4 : 0;
    return size > ending ? size - ending : size;
}

/* Returns the length of the path without its extension. A leading dot does not begin one. */
static size_t stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t before = (size_t)(name - path), size = swi_length_unpacked(path);
    const char *dot = size > before ? memrchr(name, '.', size - before) : NULL;
    return dot && dot != name ? (size_t)(dot - path) : size > before ? size : strlen(path);
}

char *swi_numbered_name(const char *path, int n)
{
    int stem = (int)stem_of(path);
    char *made = NULL;
    if (n < 2)
        return strdup(path);
    return asprintf(&made, "%.*s-%d%s", stem, path, n, path + stem) < 0 ? NULL : made;
}

/* Returns the number at the end of a stem, and takes it off: 2 of "r-2". 1: there is none. */
static int64_t number_take(const char *name, size_t *stem)
{
    enum { DIGITS = 9 };
    size_t at = *stem;
    int64_t number = 0, tens = 1;
    while (at > 1 && *stem - at < DIGITS && name[at - 1] >= '0' && name[at - 1] <= '9') {
        number += (name[--at] - '0') * tens;
        tens *= 10;
    }
    if (at == *stem || at < 2 || name[at - 1] != '-' || name[at] == '0' || number < 2)
        return 1;
    *stem = at - 1;
    return number;
}

char *swi_lock_name(const char *name, int64_t *byte)
{
    size_t whole = stem_of(name), stem = whole;
    char *made = NULL;
    int64_t last = number_take(name, &stem), before = number_take(name, &stem);
    *byte = before == 1 ? last : before + (last << 32);
    return asprintf(&made, ".%.*s%.20s.lock", stem < 220 ? (int)stem : 220, name, name + whole) < 0
               ? NULL
               : made;
}

/* ---- misspelt names -------------------------------------------------------------------------- */

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
