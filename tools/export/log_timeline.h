/* SPDX-License-Identifier: MIT */
/* log_timeline.h - plays a run log into a timeline. */
#ifndef TOOLS_EXPORT_LOG_TIMELINE_H
#define TOOLS_EXPORT_LOG_TIMELINE_H

#include "sinks/common/trace_formats/timeline.h"
#include "tools/log/log_lines.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- the head -------------------------------------------------------------------------------- */

/* The description of a log's run. */
struct log_timeline_head {
    const char *path;       /* borrowed */
    struct log_value *line; /* the first one, which has the texts of the process */
    struct swi_timeline_process process;
    int loop;           /* the thread of the loop, or -1 */
    double drift;       /* ns per ns by which its clock runs too fast, see host_clocks.h */
    bool is_uncompared; /* its clock may be another than that of other logs */
};

/* Reads the description of a log's run. Returns 0 or a negative code. Call log_timeline_head_free()
 * in any case. */
int log_timeline_head(const char *path, struct log_timeline_head *head, struct sw_error *err);
void log_timeline_head_free(struct log_timeline_head *head);

/* ---- lines ----------------------------------------------------------------------------------- */

/* The state of a log after it was read. */
struct log_timeline {
    const char *path;
    long damaged;                 /* lines that were skipped */
    struct sw_error first_damage; /* the first of them */
    bool finished;
    int64_t lost; /* begins, ends and cancels that the sink could not write */
};

/* Adds a log to the timeline as a separate process. Returns 0 or a negative code. */
int log_timeline_play(struct swi_timeline *t, const struct log_timeline_head *head,
                      struct log_timeline *read, struct sw_error *err);

/* Prints to stderr what is missing in the log. */
void log_timeline_say(const struct log_timeline *read, const char *command);

/* Corrects the times of logs that were recorded on different hosts, and prints to stderr how: by
 * what libstepwatch-mpi measured, else by the ends of the actions in `profiler: { wait: … }`, which
 * all ranks leave at nearly the same moment. Logs of one host have one clock, and stay as they are.
 * Returns 0 or a negative code. */
int host_clocks_align(struct log_timeline_head *head, size_t count, struct sw_error *err);

#endif
