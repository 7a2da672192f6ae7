/* SPDX-License-Identifier: MIT */
/* held.h - which rows of a run's own report its log has no regions of. */
#ifndef TOOLS_LOG_HELD_H
#define TOOLS_LOG_HELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct held {
    bool steps_only; /* the log has detail: steps */
    size_t missing;  /* rows that cannot be made again */
    char first[80];  /* the first of them */
};

/* Looks at one line of the log; the first says its detail. */
void held_line(struct held *held, const json_t *line);

/* Whether a row of the run's report can be made again from the log. */
bool held_row(const struct held *held, const char *phase, const char *action);

/* Says on stderr what is missing, if anything is. */
void held_say(const struct held *held, const char *path);

#endif
