/* SPDX-License-Identifier: MIT */
/* monitors.h - the monitors of a profiler, and the one thread that samples all of them.
 *
 * A source may hang, such as a driver of a device. Then its monitor, and all others, give no more
 * values, and whoever stops them leaves the thread alone. */
#ifndef CORE_MONITORS_MONITORS_H
#define CORE_MONITORS_MONITORS_H

#include "core/delivery/monitor.h"
#include "core/plugins/settings.h"
#include "core/records/recorder.h"

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
