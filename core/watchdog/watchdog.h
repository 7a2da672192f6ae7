/* SPDX-License-Identifier: MIT */
/* watchdog.h - a thread that checks once a second that the loop still makes steps, and reports if
 * it does not. It costs the loop nothing, since it reads what the loop counts anyway. */
#ifndef CORE_WATCHDOG_WATCHDOG_H
#define CORE_WATCHDOG_WATCHDOG_H

#include "core/plugins/settings.h"
#include "core/records/recorder.h"

struct swi_watchdog;

/* Starts the watchdog if the settings ask for it, even if only for a command or a webhook. Returns
 * NULL if they do not, or if it cannot be started, which it reports. measured and records are
 * borrowed. */
struct swi_watchdog *swi_watchdog_start(const struct swi_watchdog_settings *settings,
                                        struct swi_measured *measured,
                                        struct swi_recorder *records);

/* Sends an alert of the program to the command and the webhook. Any thread may call it. It never
 * waits. */
void swi_watchdog_pass(struct swi_watchdog *watchdog, const struct sw_alert *alert, int64_t step);

/* Ends the thread, and waits for limit_ns at most for a running command or request. Later alerts
 * are dropped. Accepts NULL. */
void swi_watchdog_stop(struct swi_watchdog *watchdog, int64_t limit_ns);

/* Frees the watchdog after that, when no thread uses it. Accepts NULL. */
void swi_watchdog_free(struct swi_watchdog *watchdog);

#endif
