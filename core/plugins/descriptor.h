/* SPDX-License-Identifier: MIT */
/* descriptor.h - whether what a plugin exports can be called. */
#ifndef CORE_PLUGINS_DESCRIPTOR_H
#define CORE_PLUGINS_DESCRIPTOR_H

#include <stepwatch/sink.h>

/* Checks magic, ABI number, sizes, names, callbacks and option table, in this order: nothing behind
 * a field is read before that field was found right. from may be NULL (no such symbol). expected:
 * the name that the file has, or NULL.
 *
 * plugin: set to from, or to a copy with the fields that this core has: a plugin that was built
 * with an older header has 0 in those it lacks, and one that was built with a newer header is
 * refused only if it uses what this core lacks. It is valid as long as from. */
int swi_descriptor_take(const struct sw_sink_plugin *from, const char *expected,
                        const struct sw_sink_plugin **plugin, struct sw_error *err);

/* In the child of a fork: its lock is free. */
void swi_descriptor_child(void);

#endif
