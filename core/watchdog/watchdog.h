/* SPDX-License-Identifier: MIT */
/* watchdog.h - a thread that looks once a second whether the loop still makes steps, and says so
 * where it does not. It costs the loop nothing: it reads what the loop counts anyway. */
#ifndef CORE_WATCHDOG_WATCHDOG_H
#define CORE_WATCHDOG_WATCHDOG_H

#include "core/plugins/settings.h"
#include "core/records/emit.h"

struct swi_watchdog;

/* Starts it, if the settings ask for it; also for a command or a webhook alone. NULL where they do
 * not, or there is no thread to be had, which is said. Borrows measured and records. */
struct swi_watchdog *swi_watchdog_start(const struct swi_watchdog_settings *settings,
                                        struct swi_measured *measured,
                                        struct swi_recorder *records);

/* Hands an alert of the program's to the command and the webhook. Any thread; never waits. */
void swi_watchdog_pass(struct swi_watchdog *watchdog, const struct sw_alert *alert, int64_t step);

/* Ends the thread, and waits at most so long for a command or a request that is under way. NULL is
 * accepted. Alerts that are handed over after it go nowhere. */
void swi_watchdog_stop(struct swi_watchdog *watchdog, int64_t limit_ns);

/* Frees it after that, when no thread uses it any more. NULL is accepted. */
void swi_watchdog_free(struct swi_watchdog *watchdog);

#endif
