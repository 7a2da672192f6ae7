/* SPDX-License-Identifier: MIT */
/* options.h - a sink's option table: checks it, fills the sink's state from settings by it, prints
 * it. */
#ifndef CORE_PLUGINS_OPTIONS_H
#define CORE_PLUGINS_OPTIONS_H

#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

/* Whether a table is sound: names, types, fallbacks that parse, offsets within state_size. */
int swi_options_check(const struct sw_option *options, size_t state_size, struct sw_error *err);

/* Fills state (zeroed, plugin->state_size bytes) with the fallbacks and then with the settings.
 * Unknown and duplicate options, wrong types and values out of range are added to mistakes, with
 * their place. strings: set to a list that owns every text and list that state now points at; for
 * swi_options_free(). */
struct swi_strings;
int swi_options_fill(const struct sw_sink_plugin *plugin, const struct swi_sink_settings *settings,
                     void *state, struct swi_strings **strings, struct swi_mistakes *mistakes);
void swi_options_free(struct swi_strings *strings);

/* The value of one option in a filled state as it would stand in the YAML, secrets as "***"; the
 * caller's to free(). */
char *swi_option_value(const struct sw_option *option, const void *state);

#endif
