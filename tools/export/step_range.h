/* SPDX-License-Identifier: MIT */
/* step_range.h - when some training steps of a log were. */
#ifndef TOOLS_EXPORT_STEP_RANGE_H
#define TOOLS_EXPORT_STEP_RANGE_H

#include "tools/export/log_timeline_head.h"

/* Sets from_ns and upto_ns to the begin of the training step `first` and the end of `last`. Returns
 * SW_EINVAL if the log does not have the first one. */
int log_timeline_range(const char *path, struct log_timeline_head *head, int64_t first,
                       int64_t last, struct sw_error *err);

#endif
