/* SPDX-License-Identifier: MIT */
/* sink_loading.h - makes a worker of each sink in the settings: loads its plugin and fills its
 * options. */
#ifndef CORE_DELIVERY_SINK_LOADING_H
#define CORE_DELIVERY_SINK_LOADING_H

#include "core/delivery/worker.h"
#include "core/plugins/search.h"
#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

/* Returns the filled option `path` of a sink, or NULL if it has none, or if it is a folder. */
const char *swi_output_path(const struct sw_sink_plugin *plugin, const void *state);

/* How the sinks of a pipeline are loaded. */
struct swi_loading {
    const struct swi_settings *settings;
    struct swi_search search;
    struct swi_messages *messages; /* NULL: the sinks are only inspected */
    bool trial;                    /* a sink must not end this process */
    bool has_id;                   /* the run has an id that all ranks share */
    bool remarks;                  /* remarks count as mistakes too */
    struct swi_mistakes *mistakes;
};

/* Loads the sink with this index. Adds mistakes. Returns NULL if out of memory. */
struct swi_worker *swi_sink_load(struct swi_loading *loading, size_t index);

/* Adds a mistake for two sinks that write to one file. */
void swi_sinks_check_outputs(struct swi_worker *const *sinks, size_t count,
                             const struct swi_settings *settings, struct swi_mistakes *mistakes);

#endif
