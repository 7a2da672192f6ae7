/* SPDX-License-Identifier: MIT */
/* alert_command.h - the command of the watchdog. */
#ifndef CORE_WATCHDOG_ALERT_COMMAND_H
#define CORE_WATCHDOG_ALERT_COMMAND_H

#include "core/watchdog/alert_delivery.h"

#include <stepwatch/error.h>

#include <stdatomic.h>
#include <stdbool.h>

/* Runs a command with /bin/sh. The alert is in the environment (STEPWATCH_ALERT_TITLE, _TEXT,
 * _KIND, _STEP and _RUN), never in the text of the command. Waits for 30 s at most, or until *hurry
 * is set, and then kills the command and all that it started. Returns 0, or SW_EIO and err says why
 * it failed. */
int swi_alert_command_run(const char *command, const struct swi_alert_delivery *delivery,
                          const atomic_bool *hurry, struct sw_error *err);

#endif
