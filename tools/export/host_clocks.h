/* SPDX-License-Identifier: MIT */
/* host_clocks.h - the clocks of several hosts in one timeline. */
#ifndef TOOLS_EXPORT_HOST_CLOCKS_H
#define TOOLS_EXPORT_HOST_CLOCKS_H

#include "tools/export/log_timeline.h"

/* Corrects the times of logs that were recorded on different hosts, and prints to stderr how: by
 * what libstepwatch-mpi measured, else by the ends of the actions in `profiler: { wait: … }`, which
 * all ranks leave at nearly the same moment. Logs of one host have one clock, and stay as they are.
 * Returns 0 or a negative code. */
int host_clocks_align(struct log_timeline_head *head, char *const *path, size_t count,
                      struct sw_error *err);

#endif
