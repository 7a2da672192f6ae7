/* SPDX-License-Identifier: MIT */
/* told_misuse.h - the misuse in a run's own report. A log has no such calls, so a replay finds
 * none. */
#ifndef TOOLS_LOG_TOLD_MISUSE_H
#define TOOLS_LOG_TOLD_MISUSE_H

#include <jansson.h>
#include <stddef.h>

struct told {
    char text[1024]; /* "forward was ended without a begin: 2; …", of all fits */
    size_t size;     /* used bytes */
    size_t before;   /* bytes before the last reported fit */
    json_int_t fit;
};

/* Looks at one line of the log. */
void told_line(struct told *told, const json_t *line);

/* Prints the misuse to stderr, if there was any. */
void told_say(const struct told *told, const char *path);

#endif
