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

/* ---- placeholders ---------------------------------------------------------------------------- */

/* Replaces {rank}, {host} and others in the paths of a sink, and keeps the ranks
 * of one run from writing the same file. */

/* Returns whether {run} has a value: the run has an id, or no other rank. */
bool swi_placeholders_have_id(const struct sw_run *run);

/* Adds a mistake for each unknown or unclosed placeholder in the filled options. */
void swi_placeholders_check(const struct sw_sink_plugin *plugin,
                            const struct swi_sink_settings *settings, const void *state,
                            bool has_id, struct swi_mistakes *mistakes);

/* Replaces the placeholders in the filled options. If there are several ranks, or their number is
 * not known, adds the rank to the option `path` before its extension, and the folder rank_N to the
 * subpath `run`, unless the user's name already differs in each rank or `path` is a folder.
 *
 * fresh: set to whether the file's name was generated here, so that the file must not exist yet.
 *
 * Returns false if out of memory. */
bool swi_placeholders_fill(const struct sw_sink_plugin *plugin, void *state,
                           struct swi_strings *strings, const struct sw_run *run, bool *fresh);

/* Returns the sink's option `path` or `logdir` for all ranks, with * for each part that differs.
 * Returns NULL if the sink has no such option, writes to stdout, or memory runs out. The caller
 * frees it. */
char *swi_placeholders_pattern(const struct sw_sink_plugin *plugin, const void *state,
                               const struct sw_run *run);

#endif
