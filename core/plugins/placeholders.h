/* SPDX-License-Identifier: MIT */
/* placeholders.h - {rank}, {host} and others in the paths of a sink, and the names that keep the
 * ranks of one run from writing the same file. */
#ifndef CORE_PLUGINS_PLACEHOLDERS_H
#define CORE_PLUGINS_PLACEHOLDERS_H

#include "core/plugins/options.h"

/* Whether {run} stands for something: the run has an id, or no other rank. */
bool swi_placeholders_have_id(const struct sw_run *run);

/* Adds a mistake for each placeholder in the filled options that is not known, or not closed. */
void swi_placeholders_check(const struct sw_sink_plugin *plugin,
                            const struct swi_sink_settings *settings, const void *state,
                            bool has_id, struct swi_mistakes *mistakes);

/* Replaces the placeholders in the filled options. Where there are several ranks, or nobody knows,
 * the option `path` gets the rank before its extension, and the subpath `run` the folder rank_N,
 * unless the user's name is another one in each rank.
 *
 * fresh: set to whether the file's name was made here, so that it must not be there yet.
 *
 * False without memory. */
bool swi_placeholders_fill(const struct sw_sink_plugin *plugin, void *state,
                           struct swi_strings *strings, const struct sw_run *run, bool *fresh);

/* Returns where the sink's option `path` or `logdir` leads in all ranks, with * for each part that
 * differs. Returns NULL if the sink has no such option, writes to stdout, or memory runs out. The
 * caller frees it. */
char *swi_placeholders_pattern(const struct sw_sink_plugin *plugin, const void *state,
                               const struct sw_run *run);

#endif
