/* SPDX-License-Identifier: MIT */
/* descriptor.h - checks whether the descriptor that a plugin exports can be used. */
#ifndef CORE_PLUGINS_DESCRIPTOR_H
#define CORE_PLUGINS_DESCRIPTOR_H

#include "core/plugins/kind.h"

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

#endif
