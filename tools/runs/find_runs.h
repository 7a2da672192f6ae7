/* SPDX-License-Identifier: MIT */
/* find_runs.h - finds the runs that run logs and databases hold. */
#ifndef TOOLS_RUNS_FIND_RUNS_H
#define TOOLS_RUNS_FIND_RUNS_H

#include "tools/runs/recorded_runs.h"

#include <stepwatch/error.h>

/* Adds the runs of a run log (.jsonl), of a database of the sink sqlite, or of all that are in a
 * folder and the folders in it. Returns 0, or a negative code if the path is none of them. */
int recorded_runs_find(struct recorded_runs *runs, const char *path, struct sw_error *err);

#endif
