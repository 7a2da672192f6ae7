/* SPDX-License-Identifier: MIT */
/* verify.h - compares the result of a replay with the lines that the profiler wrote during the run.
 */
#ifndef TOOLS_LOG_VERIFY_H
#define TOOLS_LOG_VERIFY_H

#include "tools/log/run_replay.h"

struct verified {
    size_t compared;     /* results */
    json_t *differences; /* the first 20, as verified_differences() makes them; or NULL */
};

/* Replays and compares. Returns how many results differ, or a negative code. The caller gives
 * `differences` back with json_decref(). */
int verify_run(struct replay *replay, struct verified *verified, struct sw_error *err);

#endif
