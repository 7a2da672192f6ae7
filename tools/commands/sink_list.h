/* SPDX-License-Identifier: MIT */
/* sink_list.h - finds and lists sinks by name. */
#ifndef TOOLS_COMMANDS_SINK_LIST_H
#define TOOLS_COMMANDS_SINK_LIST_H

#include "tools/commands/plugin_list.h"

#include <stepwatch/inspect.h>

/* Returns the sink that a configuration would get by a name of this length, or NULL. */
const struct sw_sink_found *sink_list_find(const struct sw_sinks *sinks, const char *name,
                                           size_t length);

/* Returns the names of all sinks, like "csv, markdown and table". The caller frees it. Returns NULL
 * if out of memory. */
char *sink_list_names(const struct sw_sinks *sinks);

/* They as a list of plugins; the caller's to free(), NULL if out of memory. */
struct plugin_found *sink_list_items(const struct sw_sinks *sinks);

#endif
