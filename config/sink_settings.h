/* SPDX-License-Identifier: MIT */
/* sink_settings.h - the settings of sinks while they are read: from `logger_callback`, and from
 * keys of the profiler that ask for a sink. */
#ifndef CONFIG_SINK_SETTINGS_H
#define CONFIG_SINK_SETTINGS_H

#include "config/reading.h"

/* Adds a sink. NULL without memory, or where there are too many, which is said. */
struct swi_sink_settings *swi_sink_add(struct swi_reading *reading, const char *name,
                                       const struct swi_where *where);

/* Adds a sink that a key asks for, unless the list names it. */
void swi_sink_add_where_not_named(struct swi_reading *reading, const char *name, bool wanted,
                                  enum swi_key key);

/* Hands a key's value to each instance of a sink that has no option of its own for it. */
void swi_sink_hand_on(struct swi_reading *reading, enum swi_key key, const char *name,
                      const char *option, const char *text);

/* Reads one option of a sink into settings that belong to no list yet. name: of the sink, for
 * messages. */
void swi_sink_option_read(struct swi_reading *reading, const char *name,
                          struct swi_sink_settings *sink, const struct swi_item *entry);

/* Gives such options to the first sink of that name, which is added where there is none; those that
 * it has of its own count more. key: asks for it. */
void swi_sink_add_options(struct swi_reading *reading, const char *name,
                          struct swi_sink_settings *options, enum swi_key key);

#endif
