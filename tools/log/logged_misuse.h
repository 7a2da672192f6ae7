/* SPDX-License-Identifier: MIT */
/* logged_misuse.h - what a run's own report says that a replay cannot find: the misuse, because a
 * log has no such calls, and the memory of the process. */
#ifndef TOOLS_LOG_LOGGED_MISUSE_H
#define TOOLS_LOG_LOGGED_MISUSE_H

#include "tools/log/log_value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct told {
    char text[1024]; /* "forward was ended without a begin: 2; …", of all fits */
    size_t size;     /* used bytes */
    size_t before;   /* bytes before the last reported fit */
    int64_t fit;
    int64_t rss_bytes, peak_rss_bytes; /* of the last report; 0: it does not say it */
    bool memory_shown;                 /* in the output, so it is not printed */
};

/* Looks at one line of the log. */
void told_line(struct told *told, const struct log_value *line);

/* Prints the misuse and the memory of the process to stderr, if the log has them. */
void told_say(const struct told *told, const char *path);

#endif
