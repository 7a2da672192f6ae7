/* SPDX-License-Identifier: MIT */
/* log_ends.h - what the first line and the end of a run log say of its run. */
#ifndef TOOLS_RUNS_LOG_ENDS_H
#define TOOLS_RUNS_LOG_ENDS_H

#include "tools/runs/recorded_runs.h"

#include <stepwatch/error.h>

/* At most so much is read of a log, however long it is: its first line, and its end. */
enum { LOG_HEAD = 64 << 10, LOG_TAIL = 64 << 10 };

/* Sets run to a new run, or to NULL if the file is not a run log. Returns 0 or a negative code. */
int log_ends_read(const char *path, struct recorded_run **run, struct sw_error *err);

#endif
