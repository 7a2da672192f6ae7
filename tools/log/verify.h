/* SPDX-License-Identifier: MIT */
/* verify.h - compares what a replay makes with the lines that the profiler wrote when the run was
 * measured. */
#ifndef TOOLS_LOG_VERIFY_H
#define TOOLS_LOG_VERIFY_H

#include "tools/log/run_replay.h"

/* Replays and compares. Prints every difference to stdout, the first 20. Returns how many there
 * are, or a negative code. */
int verify_run(struct replay *replay, struct sw_error *err);

#endif
