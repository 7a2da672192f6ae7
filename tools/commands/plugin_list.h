/* SPDX-License-Identifier: MIT */
/* plugin_list.h - finds the plugins of a kind, and prints them and their options. */
#ifndef TOOLS_COMMANDS_PLUGIN_LIST_H
#define TOOLS_COMMANDS_PLUGIN_LIST_H

#include "tools/commands/commands.h"

#include <stepwatch/inspect.h>

/* One plugin. Without a problem, it has all texts. */
struct plugin_found {
    const char *name, *path, *problem;
    bool shadowed;
    const char *version, *license, *summary;
    const struct sw_option *options;
};

struct plugin_list {
    const char *command; /* "sinks", which is also the key of the JSON */
    const char *word;    /* "sink" */
    size_t count;
    const struct plugin_found *item;
};

/* Prints them as lines, or one by its name with its options, or as JSON. Returns an exit status. */
int plugin_list_print(const struct plugin_list *list, const char *name, bool json);

/* Finds the plugins and prints them. Returns an exit status, or a negative code and err. */
typedef int plugins_find_fn(const char *config, const char *name, bool json, struct sw_error *err);

/* Runs a command that does nothing else. */
int plugin_list_run(const struct command *command, plugins_find_fn *find, int argc, char **argv);

/* Returns the items of a list, of a type with such a plugin, as a new array; NULL if out of memory.
 */
#define PLUGIN_LIST_ITEMS(name_, list_type)                                                        \
    static struct plugin_found *name_(const struct list_type *from)                                \
    {                                                                                              \
        struct plugin_found *item = calloc(from->count + 1, sizeof *item);                         \
        for (size_t i = 0; item && i < from->count; i++) {                                         \
            item[i] = (struct plugin_found){.name = from->item[i].name,                            \
                                            .path = from->item[i].path,                            \
                                            .problem = from->item[i].problem,                      \
                                            .shadowed = from->item[i].shadowed};                   \
            if (from->item[i].problem)                                                             \
                continue;                                                                          \
            item[i].version = from->item[i].plugin->version;                                       \
            item[i].license = from->item[i].plugin->license;                                       \
            item[i].summary = from->item[i].plugin->summary;                                       \
            item[i].options = from->item[i].plugin->options;                                       \
        }                                                                                          \
        return item;                                                                               \
    }

/* ---- which sinks there are ------------------------------------------------------------------- */

/* Returns the sink that a configuration would get by a name of this length, or NULL. */
const struct sw_sink_found *sink_list_find(const struct sw_sinks *sinks, const char *name,
                                           size_t length);
/* Returns the names of all sinks, like "csv, markdown and table". The caller frees it. Returns NULL
 * if out of memory. */
char *sink_list_names(const struct sw_sinks *sinks);
/* Returns them as a list of plugins. The caller frees it. Returns NULL if out of memory. */
struct plugin_found *sink_list_items(const struct sw_sinks *sinks);

#endif
