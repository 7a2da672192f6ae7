/* SPDX-License-Identifier: MIT */
/* told_misuse.h - the calls of a run that did not fit, as its own report tells them: a log has no
 * such calls, so a replay finds none. */
#ifndef TOOLS_LOG_TOLD_MISUSE_H
#define TOOLS_LOG_TOLD_MISUSE_H

#include <jansson.h>
#include <stddef.h>

struct told {
    char text[1024]; /* "forward was ended without a begin: 2; …", of all fits */
    size_t size;     /* used of it */
    size_t before;   /* of that, before the fit that was reported last */
    json_int_t fit;
};

/* Looks at one line of the log. */
void told_line(struct told *told, const json_t *line);

/* Says on stderr what there was, if anything. */
void told_say(const struct told *told, const char *path);

#endif
