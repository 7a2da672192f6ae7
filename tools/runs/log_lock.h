/* SPDX-License-Identifier: MIT */
/* log_lock.h - whether a program still writes a file of a sink. */
#ifndef TOOLS_RUNS_LOG_LOCK_H
#define TOOLS_RUNS_LOG_LOCK_H

#include <stdbool.h>

/* Returns whether a sink holds the lock of this file. The lock ends with its program, however that
 * ends; no clock and no process number is needed. */
bool log_is_locked(const char *path);

#endif
