/* SPDX-License-Identifier: MIT */
/* monitors.h - the monitors of a profiler, and the one thread that samples all of them.
 *
 * A source may hang, such as a driver of a device. Then its monitor, and all others, give no more
 * values, and whoever stops them leaves the thread alone. */
#ifndef CORE_MONITORS_MONITORS_H
#define CORE_MONITORS_MONITORS_H

#include "core/delivery/messages.h"
#include "core/plugins/loader.h"
#include "core/plugins/options.h"
#include "core/plugins/settings.h"
#include "core/process/environment.h"
#include "core/records/recorder.h"

#include <stdatomic.h>

/* ---- one monitor: its plugin, its state and what it said ------------------------------------- */

/* Used by the thread of the monitors alone, except for loading and freeing. */

/* A failing monitor is given up after so many samples in a row. */
enum { SWI_MONITOR_FAILURES = 10 };

/* The values of one sample, of all monitors that were due. */
struct swi_values_sampled {
    size_t count, room;
    char **name;
    double *value;
};

struct swi_search;

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
    int said;
    bool has_energy;
    double joules; /* since it was opened */

    struct swi_values_sampled *values; /* of all; valid in a sample */
    struct swi_messages *messages;
    const struct swi_environment *environment;
    const atomic_bool *left_alone; /* says nothing any more */
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

struct swi_monitors;

/* Loads the monitors of the settings and fills their options; mistakes go to mistakes. NULL: there
 * are none, or no memory, which is a mistake, too. records is borrowed until they are freed. */
struct swi_monitors *swi_monitors_load(const struct swi_settings *settings,
                                       struct swi_recorder *records, struct swi_mistakes *mistakes);

/* Only checks. trial: each plugin is loaded by a child process before. */
void swi_monitors_check(const struct swi_settings *settings, bool trial,
                        struct swi_mistakes *mistakes);

/* Starts the thread: it opens the monitors and takes the first sample at once. Values arrive a
 * tenth of a second later, until when the program may still say that it replays a run. 0, or SW_EIO
 * with err. monitors may be NULL, as below. */
int swi_monitors_start(struct swi_monitors *monitors, struct sw_error *err);

/* Call it for a replayed run: what this machine does is not part of it. */
void swi_monitors_give_up(struct swi_monitors *monitors);

/* Keep the thread from reading the profiler's clock while it is set. */
void swi_monitors_clock_hold(struct swi_monitors *monitors);
void swi_monitors_clock_release(struct swi_monitors *monitors);

/* Takes a last sample of each monitor, closes them and ends the thread. false: it did not come back
 * in time and is left alone: monitors and records must stay for as long as the process. busy: set
 * to the name of the monitor that it was in. */
bool swi_monitors_stop(struct swi_monitors *monitors, int64_t timeout_ns, const char **busy);

/* Joules that were used from one tick to another; 0 if no monitor says it. exact: has a sample
 * taken first, if there was none since then, which takes some milliseconds. arg: the monitors. Any
 * thread.
 */
double swi_monitors_energy(void *arg, int64_t from, int64_t to, bool exact);

/* Frees monitors whose thread has ended or never began. */
void swi_monitors_free(struct swi_monitors *monitors);

#endif
