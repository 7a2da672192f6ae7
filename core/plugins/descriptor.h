/* SPDX-License-Identifier: MIT */
/* descriptor.h - checks whether the descriptor that a plugin exports can be used. */
#ifndef CORE_PLUGINS_DESCRIPTOR_H
#define CORE_PLUGINS_DESCRIPTOR_H

#include "core/plugins/kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Checks magic, ABI number, sizes, names, callbacks and option table, in this order. Nothing is
 * read that depends on a field that was not checked before. from: may be NULL (no such symbol).
 * expected: the name of the file, or NULL.
 *
 * plugin: set to from, or to a copy with the fields that this core has: a plugin that was built
 * with an older header has 0 in those it lacks, and one that was built with a newer header is
 * refused only if it uses what this core lacks. It is valid as long as from. */
int swi_descriptor_take(const struct swi_kind *kind, const void *from, const char *expected,
                        const void **plugin, struct sw_error *err);

/* Makes the lock free in the child of a fork. */
void swi_descriptor_child(void);

/* ---- copies a struct whose owner was compiled with an older or a newer header ---------------- */

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
