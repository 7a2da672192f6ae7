/* SPDX-License-Identifier: MIT */
/* database_runs.h - the runs of a database of the sink sqlite. */
#ifndef TOOLS_RUNS_DATABASE_RUNS_H
#define TOOLS_RUNS_DATABASE_RUNS_H

#include "tools/runs/recorded_runs.h"

#include <stepwatch/error.h>

/* Adds the runs of a database. Returns 1, 0 if the file is not such a database, or a negative code.
 */
int database_runs_read(struct recorded_runs *runs, const char *path, struct sw_error *err);

#endif
