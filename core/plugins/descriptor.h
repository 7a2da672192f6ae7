/* SPDX-License-Identifier: MIT */
/* descriptor.h - checks whether the descriptor that a plugin exports can be used. */
#ifndef CORE_PLUGINS_DESCRIPTOR_H
#define CORE_PLUGINS_DESCRIPTOR_H

#include <stepwatch/sink.h>

/* Checks magic, ABI number, sizes, names, callbacks and option table, in this order. Nothing is
 * read that depends on a field that was not checked before. from: may be NULL (no such symbol).
 * expected: the name of the file, or NULL.
 *
 * plugin: set to from, or to a copy with the fields that this core knows. A plugin that was built
 * with an older header gets 0 in the fields it lacks. One that was built with a newer header is
 * refused only if it uses fields that this core lacks. The result is valid as long as from. */
int swi_descriptor_take(const struct sw_sink_plugin *from, const char *expected,
                        const struct sw_sink_plugin **plugin, struct sw_error *err);

/* Makes the lock free in the child of a fork. */
void swi_descriptor_child(void);

#endif
