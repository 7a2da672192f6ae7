/* SPDX-License-Identifier: MIT */
/* recorded_runs_text.h - recorded runs as a table. */
#ifndef TOOLS_RUNS_RECORDED_RUNS_TEXT_H
#define TOOLS_RUNS_RECORDED_RUNS_TEXT_H

#include "tools/runs/recorded_runs.h"

/* Prints a line for each run. */
void recorded_runs_print(const struct recorded_runs *runs);

/* Prints the path of each log and database once. */
void recorded_runs_print_paths(const struct recorded_runs *runs);

#endif
