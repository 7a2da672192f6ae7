/* SPDX-License-Identifier: MIT */
/* output_conflicts.h - finds sinks of one configuration that would write the same file, or one that
 * cannot be written. */
#ifndef CORE_DELIVERY_OUTPUT_CONFLICTS_H
#define CORE_DELIVERY_OUTPUT_CONFLICTS_H

#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

/* A sink and the file that it writes, its option `path`. */
struct swi_output {
    const char *sink; /* "csv", or "csv-2"; NULL if it writes no file, or one that may be shared */
    const char *path; /* as configured */
    struct swi_where where;
};

/* Returns the filled option `path` of a sink, or NULL if it has none, or if it is a folder. */
const char *swi_output_path(const struct sw_sink_plugin *plugin, const void *state);

/* Returns the output of a sink, from its filled options. instance: its name in messages. All
 * pointers are borrowed. */
struct swi_output swi_output_of(const struct sw_sink_plugin *plugin, const void *state,
                                const char *instance, const struct swi_sink_settings *sink);

/* Adds a mistake for each option that names an output which cannot be written: `path`, `logdir`,
 * `dir` and `database`. What begins with a placeholder is not known yet. directory: the working
 * folder of the run. */
void swi_outputs_try(const struct sw_sink_plugin *plugin, const void *state,
                     const struct swi_sink_settings *sink, const char *directory,
                     struct swi_mistakes *mistakes);

/* Adds a mistake for each sink that writes the same file as an earlier one. Standard output and
 * devices may be shared. */
void swi_output_conflicts_check(const struct swi_settings *settings,
                                const struct swi_output *output, size_t count,
                                struct swi_mistakes *mistakes);

#endif
