/* SPDX-License-Identifier: MIT */
/* log_timeline.h - plays a run log into a timeline. */
#ifndef TOOLS_EXPORT_LOG_TIMELINE_H
#define TOOLS_EXPORT_LOG_TIMELINE_H

#include "tools/export/log_timeline_head.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of a log after it was read. */
struct log_timeline {
    const char *path;
    long damaged;                 /* lines that were skipped */
    struct sw_error first_damage; /* the first of them */
    bool torn;
    bool finished;
    int64_t lost; /* begins, ends and cancels that the sink could not write */
    long regions; /* ends and cancels */
};

/* Adds a log to the timeline as a separate process. Returns 0 or a negative code. */
int log_timeline_play(struct swi_timeline *t, const char *path,
                      const struct log_timeline_head *head, struct log_timeline *read,
                      struct sw_error *err);

/* Prints to stderr what is missing in the log. */
void log_timeline_say(const struct log_timeline *read, const char *command);

#endif
