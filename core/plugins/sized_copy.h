/* SPDX-License-Identifier: MIT */
/* sized_copy.h - copies a struct whose owner was compiled with an older or a newer header. */
#ifndef CORE_PLUGINS_SIZED_COPY_H
#define CORE_PLUGINS_SIZED_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copies the fields that both sizes have. `to` must be zeroed before. Returns false if `from` is
 * larger and its further bytes are used: this version does not know what they mean. */
static inline bool swi_sized_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
    const char *bytes = from;
    memcpy(to, from, from_size < to_size ? from_size : to_size);
    for (size_t i = to_size; i < from_size; i++)
        if (bytes[i])
            return false;
    return true;
}

#endif
