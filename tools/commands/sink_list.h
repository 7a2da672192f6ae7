/* SPDX-License-Identifier: MIT */
/* sink_list.h - the sinks that can be named. */
#ifndef TOOLS_COMMANDS_SINK_LIST_H
#define TOOLS_COMMANDS_SINK_LIST_H

#include <stepwatch/inspect.h>

/* The one that a configuration would get by a name of so many bytes, or NULL. */
const struct sw_sink_found *sink_list_find(const struct sw_sinks *sinks, const char *name,
                                           size_t length);

/* The names of all, like "csv, markdown and table"; the caller's to free(), NULL if out of
 * memory. */
char *sink_list_names(const struct sw_sinks *sinks);

#endif
