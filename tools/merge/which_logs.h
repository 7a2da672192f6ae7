/* SPDX-License-Identifier: MIT */
/* which_logs.h - which of the files are logs of ranks of one run. */
#ifndef TOOLS_MERGE_WHICH_LOGS_H
#define TOOLS_MERGE_WHICH_LOGS_H

#include "tools/merge/merged.h"

/* Fills the logs of merged, by rank, and its wait. What does not belong to them is left out and
 * named on stderr. 0, SW_ENOMEM, or SW_EFORMAT if there is none. */
int logs_find(struct merged *merged, char *const *path, size_t count, bool force,
              struct sw_error *err);

/* Says on stderr that a log is left out, and why: "FILE: has no report; it is left out". */
void log_leave_out(struct merged *merged, struct rank_log *log, const char *why);

/* Numbers the hosts. False without memory. */
bool nodes_find(struct merged *merged);

#endif
