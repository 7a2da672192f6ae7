/* SPDX-License-Identifier: MIT */
/* which_logs.h - finds which of the files are logs of ranks of one run. */
#ifndef TOOLS_MERGE_WHICH_LOGS_H
#define TOOLS_MERGE_WHICH_LOGS_H

#include "tools/merge/merged.h"

/* Fills the logs of merged, sorted by rank, and its wait. Other files are left out and reported on
 * stderr. Returns 0, SW_ENOMEM, or SW_EFORMAT if there is none. */
int logs_find(struct merged *merged, char *const *path, size_t count, bool force,
              struct sw_error *err);

/* Prints to stderr that a log is left out, and why: "FILE: has no report; it is left out". */
void log_leave_out(struct merged *merged, struct rank_log *log, const char *why);

/* Numbers the hosts. Returns false if out of memory. */
bool nodes_find(struct merged *merged);

#endif
