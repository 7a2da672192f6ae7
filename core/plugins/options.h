/* SPDX-License-Identifier: MIT */
/* options.h - fills a plugin's state from settings, by its table of options. */
#ifndef CORE_PLUGINS_OPTIONS_H
#define CORE_PLUGINS_OPTIONS_H

#include "core/plugins/kind.h"
#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

/* Fills state (zeroed, as large as the plugin's state_size says) with the fallbacks and then with
 * the settings. Unknown and duplicate options, wrong types and values out of range are added to
 * mistakes, with their place. strings: set to a list that owns every text and list that state now
 * points at; for swi_options_free(). */
struct swi_strings;
int swi_options_fill(const struct swi_kind *kind, const void *plugin,
                     const struct swi_sink_settings *settings, void *state,
                     struct swi_strings **strings, struct swi_mistakes *mistakes);
/* Makes strings own memory from malloc(). Returns it, or frees it and returns NULL if out of
 * memory. */
void *swi_strings_keep(struct swi_strings *strings, void *memory);

void swi_options_free(struct swi_strings *strings);

/* ---- lets a sink check its own options before anything is opened ----------------------------- */

/* Calls the check function of a plugin, if it has one, with a state that was filled without
 * mistakes. A mistake gets the place of its option. remarks: add those that sw_open() ignores too.
 */
void swi_sink_check(const struct sw_sink_plugin *plugin, const void *state,
                    const struct swi_sink_settings *sink, const char *directory, bool remarks,
                    struct swi_mistakes *mistakes);

#endif
