/* SPDX-License-Identifier: MIT */
/* ranks_line.h - the line of a run log with the report of all ranks. */
#ifndef TOOLS_LOG_RANKS_LINE_H
#define TOOLS_LOG_RANKS_LINE_H

#include "tools/log/log_value.h"

#include <stepwatch/ranks.h>

/* Passes the report of a line to the sinks of sw. Returns 0, SW_EFORMAT or SW_ENOMEM. */
int ranks_line_play(struct sw_profiler *sw, const struct log_value *line, struct sw_error *err);

#endif
