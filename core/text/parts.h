/* SPDX-License-Identifier: MIT */
/* parts.h - what a text is, begins and ends with, and the parts of a path. */
#ifndef CORE_TEXT_PARTS_H
#define CORE_TEXT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns the place of a text in a list that ends with NULL, or -1. */
static inline int swi_place_of(const char *text, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    return -1;
}
#define SWI_IS_ONE_OF(text, ...) (swi_place_of(text, (const char *const[]){__VA_ARGS__, NULL}) >= 0)

static inline bool swi_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static inline bool swi_ends(const char *text, const char *end)
{
    size_t size = strlen(text), length = strlen(end);
    return size >= length && memcmp(text + size - length, end, length) == 0;
}

/* Returns what follows the last slash. */
static inline const char *swi_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the length of a path without its extension. A leading dot does not begin one. */
static inline size_t swi_stem_length(const char *path)
{
    const char *name = swi_last_part(path), *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

#endif
