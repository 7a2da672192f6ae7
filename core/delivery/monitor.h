/* SPDX-License-Identifier: MIT */
/* monitor.h - one monitor: its plugin, its state and what it said. Used by one thread alone, that
 * of the monitors or of the sink that asks for its samples, except for loading and freeing. */
#ifndef CORE_DELIVERY_MONITOR_H
#define CORE_DELIVERY_MONITOR_H

#include "core/delivery/messages.h"
#include "core/plugins/search.h"
#include "core/plugins/options.h"
#include "core/process/environment.h"

#include <stdatomic.h>

/* A failing monitor is given up after so many samples in a row. */
enum { SWI_MONITOR_FAILURES = 10 };

/* The values of one sample, of all monitors that were due. */
struct swi_values_sampled {
    size_t count, room;
    struct sw_metric *item; /* with names of their own */
};

struct swi_search;
struct swi_worker;

struct swi_monitor {
    struct sw_monitor seen; /* what the plugin sees; first, so that a service finds the rest */
    struct swi_plugin plugin;
    char *name;
    void *state;
    struct swi_strings *strings;
    int64_t interval_ns;
    int64_t due_ns; /* CLOCK_MONOTONIC */
    bool open;
    int failures; /* in a row */
    int message_count;
    bool has_energy;
    double joules; /* since it was opened */

    struct swi_values_sampled *values; /* of all; valid in a sample */
    struct swi_messages *messages;
    const struct swi_environment *environment;
    const atomic_bool *abandoned; /* says nothing any more */
};

/* Loads the plugin and fills its options; what is wrong goes to mistakes. trial: a child process
 * loads it before. */
void swi_monitor_load(struct swi_monitor *monitor, struct swi_search *search,
                      const struct swi_sink_settings *given, bool trial,
                      struct swi_mistakes *mistakes);
void swi_monitor_open(struct swi_monitor *monitor);
void swi_monitor_sample(struct swi_monitor *monitor, int64_t now_ns, bool last);
void swi_monitor_close(struct swi_monitor *monitor);
void swi_monitor_fini(struct swi_monitor *monitor);

void swi_values_clear(struct swi_values_sampled *values);
void swi_values_fini(struct swi_values_sampled *values);

/* ---- the monitor whose samples a sink asks for ----------------------------------------------- */

/* It is sampled for this sink alone, because the configuration does not have it. */
struct swi_sink_monitor;

/* Loads the monitor that the descriptor of the sink names, if it names one and the settings do not.
 * If that fails, says so, and the sink gets no samples. */
void swi_sink_monitor_load(struct swi_worker *worker, const struct swi_settings *settings,
                           struct swi_search *search);

/* As sw_sink_sample(). Opens the monitor first. */
const struct sw_record *swi_sink_monitor_sample(struct swi_worker *worker, int64_t interval_ns);

/* monitor: may be NULL, as below. */
void swi_sink_monitor_close(struct swi_sink_monitor *monitor);
void swi_sink_monitor_free(struct swi_sink_monitor *monitor);

#endif
