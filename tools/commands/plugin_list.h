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

/* Returns their names, like "csv, markdown and table", each once, even if several folders have it.
 * The caller frees it. Returns NULL if out of memory. */
char *plugin_list_names(const struct plugin_list *list);

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

/* Finds the plugins of such a type and prints them. */
#define PLUGIN_LIST_FIND(list_type, kind_, word_)                                                  \
    PLUGIN_LIST_ITEMS(items_of, list_type)                                                         \
    static int find_and_print(const char *config, const char *name, bool json,                     \
                              struct sw_error *err)                                                \
    {                                                                                              \
        struct list_type *found;                                                                   \
        int rc = list_type##_find(config, &found, err);                                            \
        if (rc < 0)                                                                                \
            return rc;                                                                             \
        struct plugin_found *item = items_of(found);                                               \
        const struct plugin_list list = {kind_, word_, found->count, item};                        \
        rc = item ? plugin_list_print(&list, name, json)                                           \
                  : sw_error_set(err, SW_ENOMEM, "not enough memory to list the " kind_);          \
        free(item);                                                                                \
        list_type##_free(found);                                                                   \
        return rc;                                                                                 \
    }

#endif
