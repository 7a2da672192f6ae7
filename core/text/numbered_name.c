/* SPDX-License-Identifier: MIT */
#include "core/text/numbered_name.h"

#include <stdio.h>
#include <string.h>

size_t swi_length_unpacked(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcmp(path + size - 3, ".gz") == 0 ? size - 3 : size;
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
