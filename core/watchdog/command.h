/* SPDX-License-Identifier: MIT */
/* command.h - the command of the watchdog. */
#ifndef CORE_WATCHDOG_COMMAND_H
#define CORE_WATCHDOG_COMMAND_H

#include "core/watchdog/errand.h"

#include <stepwatch/error.h>

#include <stdatomic.h>
#include <stdbool.h>

/* Runs /bin/sh with a command, which finds the alert in STEPWATCH_ALERT_TITLE, _TEXT, _KIND, _STEP
 * and _RUN, and never in its own text. Waits for it, for at most 30 s or until *hurry; then it is
 * killed with all that it started. Returns 0, or SW_EIO and why it failed. */
int swi_command_run(const char *command, const struct swi_errand *errand, const atomic_bool *hurry,
                    struct sw_error *err);

#endif
