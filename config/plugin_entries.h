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

/* Adds a plugin without options. Returns NULL if there are too many, or if out of memory. */
struct swi_sink_settings *swi_entry_add(struct swi_yaml_reader *reading,
                                        struct swi_entries *entries, const char *name,
                                        const struct swi_where *where);

/* Gives the plugin an option. text is copied; all else is taken from value. */
void swi_entry_option(struct swi_yaml_reader *reading, struct swi_sink_settings *sink,
                      const char *option, struct swi_scalar value, const char *text);

/* ---- sinks: from `logger_callback`, and from keys of the profiler that need one -------------- */

/* Returns the list of sinks, for its readers. */
struct swi_entries swi_sink_entries(struct swi_yaml_reader *reading);

/* Adds a sink that a key needs, unless the list names it. */
void swi_sink_add_where_not_named(struct swi_yaml_reader *reading, const char *name, bool wanted,
                                  enum swi_key key);

/* Passes a key's value to each instance of a sink that does not have this option yet. */
void swi_sink_hand_on(struct swi_yaml_reader *reading, enum swi_key key, const char *name,
                      const char *option, const char *text);

/* Reads an option of a sink into settings that are not in a list yet. name: of the sink, for
 * messages. */
void swi_sink_option_read(struct swi_yaml_reader *reading, const char *name,
                          struct swi_sink_settings *sink, const struct swi_item *entry);

/* Moves such options to the first sink of this name, and adds the sink if there is none. Options
 * that the sink already has are kept. key: the key that asks for it. */
void swi_sink_add_options(struct swi_yaml_reader *reading, const char *name,
                          struct swi_sink_settings *options, enum swi_key key);

/* Lets a plain table take the place of a sink that cannot be loaded, where the sink has not got
 * this option. */
void swi_sink_spare(struct swi_yaml_reader *reading, const char *name, const char *unless);

/* Reads `monitors` into config->settings.monitor: true; a name; a list of names or `name:
 * {options}`; or a mapping of these, with `interval` and `what` for all. */
void swi_monitors_read(struct swi_yaml_reader *reading, const struct swi_node *node);

#endif
