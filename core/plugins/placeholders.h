/* SPDX-License-Identifier: MIT */
/* placeholders.h - replaces {rank}, {host} and others in the paths of a sink, and keeps the ranks
 * of one run from writing the same file. */
#ifndef CORE_PLUGINS_PLACEHOLDERS_H
#define CORE_PLUGINS_PLACEHOLDERS_H

#include "core/plugins/options.h"

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
