/* SPDX-License-Identifier: MIT */
/* descriptor.h - whether what a plugin exports can be called. */
#ifndef CORE_PLUGINS_DESCRIPTOR_H
#define CORE_PLUGINS_DESCRIPTOR_H

#include <stepwatch/sink.h>

/* Checks magic, ABI number, sizes, names, callbacks and option table, in this order: nothing behind
 * a field is read before that field was found right. plugin may be NULL (no such symbol). expected:
 * the name that the file has, or NULL. */
int swi_descriptor_check(const struct sw_sink_plugin *plugin, const char *expected,
                         struct sw_error *err);

#endif
