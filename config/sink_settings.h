/* SPDX-License-Identifier: MIT */
/* sink_settings.h - collects the settings of sinks from `logger_callback`, and from keys of the
 * profiler that need a sink. */
#ifndef CONFIG_SINK_SETTINGS_H
#define CONFIG_SINK_SETTINGS_H

#include "config/plugin_entries.h"

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

#endif
