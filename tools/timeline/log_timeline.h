/* SPDX-License-Identifier: MIT */
/* log_timeline.h - plays a run log into a timeline. */
#ifndef TOOLS_TIMELINE_LOG_TIMELINE_H
#define TOOLS_TIMELINE_LOG_TIMELINE_H

#include "sinks/common/timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of a log after it was read. */
struct log_timeline {
    const char *path;
    long damaged;                 /* lines that were left out */
    struct sw_error first_damage; /* the first of them */
    bool torn;
    bool finished;
    int64_t lost; /* begins, ends and cancels that the sink could not take */
    long regions; /* ends and cancels */
};

/* What a log's run is. */
struct log_timeline_head {
    struct swi_timeline_process process;
    int loop; /* its thread; -1: not known */
};

/* Reads what a log says of its run. Ends in log_timeline_head_free() in any case. 0, or a negative
 * code. */
int log_timeline_head(const char *path, struct log_timeline_head *head, struct sw_error *err);
void log_timeline_head_free(struct log_timeline_head *head);

/* Adds a log to the timeline, as a process of its own. 0, or a negative code. */
int log_timeline_play(struct swi_timeline *t, const char *path,
                      const struct log_timeline_head *head, struct log_timeline *read,
                      struct sw_error *err);

/* Says on stderr what is not in the log. */
void log_timeline_say(const struct log_timeline *read, const char *command);

/* Sets from_ns and upto_ns to where the training steps `first` to `last` of the log begin and end;
 *  SW_EINVAL if the log does not have the first one. */
int log_timeline_range(const char *path, struct log_timeline_head *head, int64_t first,
                       int64_t last, struct sw_error *err);

#endif
