/* SPDX-License-Identifier: MIT */
/* plugin_entries.h - `logger_callback` and `monitors`: lists of plugins with their options. core
 * checks whether the plugins exist and what their options mean. */
#ifndef CONFIG_PLUGIN_ENTRIES_H
#define CONFIG_PLUGIN_ENTRIES_H

#include "config/yaml_reader.h"

/* One such list, and what messages call it. */
struct swi_entries {
    const char *key;  /* "logger_callback" */
    const char *word; /* "sink" */
    size_t *count;
    struct swi_sink_settings **item;
    size_t most;
    bool takes_value; /* NAME: VALUE gives the first option */
    bool *too_many;   /* set once that was reported */
};

/* Reads a name, a list of names or `name: {options}`, or a mapping of names to options. */
void swi_entries_read(struct swi_yaml_reader *reading, struct swi_entries *entries,
                      const struct swi_node *node);

/* Reads one entry. options NULL: none. */
void swi_entry_read(struct swi_yaml_reader *reading, struct swi_entries *entries,
                    const struct swi_node *name, const struct swi_node *options);

/* Reads one option. name: of the plugin, for messages; the settings need not be in a list. */
void swi_entry_option_read(struct swi_yaml_reader *reading, const char *word, const char *name,
                           struct swi_sink_settings *sink, const struct swi_item *entry);

/* Adds a plugin without options. Returns NULL if there are too many, or if out of memory. */
struct swi_sink_settings *swi_entry_add(struct swi_yaml_reader *reading,
                                        struct swi_entries *entries, const char *name,
                                        const struct swi_where *where);

/* Returns whether the plugin was given this option. */
bool swi_entry_has(const struct swi_sink_settings *sink, const char *name);

/* Gives the plugin an option. text is copied; all else is taken from value. */
void swi_entry_option(struct swi_yaml_reader *reading, struct swi_sink_settings *sink,
                      const char *option, struct swi_scalar value, const char *text);

#endif
