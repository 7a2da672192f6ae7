/* SPDX-License-Identifier: MIT */
/* verify.h - compares the result of a replay with the lines that the profiler wrote during the run.
 */
#ifndef TOOLS_LOG_VERIFY_H
#define TOOLS_LOG_VERIFY_H

#include "tools/log/run_replay.h"

/* Replays and compares. Prints the number of differences and the first 20 to stdout. Returns how
 * many there are, or a negative code. */
int verify_run(struct replay *replay, struct sw_error *err);

#endif
