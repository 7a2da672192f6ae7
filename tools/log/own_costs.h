/* SPDX-License-Identifier: MIT */
/* own_costs.h - finds in a run log what the run cost, before the log is played. */
#ifndef TOOLS_LOG_OWN_COSTS_H
#define TOOLS_LOG_OWN_COSTS_H

#include <stepwatch/stepwatch.h>

/* Gives the profiler of a replay the costs in the run's own reports. Does not read a pipe: they
 * stay unknown then. */
void own_costs_set(struct sw_profiler *sw, const char *path);

#endif
