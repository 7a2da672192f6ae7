/* SPDX-License-Identifier: MIT */
/* log_timeline_head.h - whose log it is: the process in the timeline, from its first line. */
#ifndef TOOLS_EXPORT_LOG_TIMELINE_HEAD_H
#define TOOLS_EXPORT_LOG_TIMELINE_HEAD_H

#include "sinks/common/trace_formats/timeline.h"
#include "tools/log/log_lines.h"

#include <string.h>

/* The description of a log's run. */
struct log_timeline_head {
    struct swi_timeline_process process;
    int loop;           /* the thread of the loop, or -1 */
    double drift;       /* ns per ns by which its clock runs too fast, see host_clocks.h */
    bool is_uncompared; /* its clock may be another than that of other logs */
};

/* Reads the description of a log's run. Returns 0 or a negative code. Call log_timeline_head_free()
 * in any case. */
int log_timeline_head(const char *path, struct log_timeline_head *head, struct sw_error *err);
void log_timeline_head_free(struct log_timeline_head *head);

#endif
