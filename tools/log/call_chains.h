/* SPDX-License-Identifier: MIT */
/* call_chains.h - calls that torch does not show: the only one inside a call of the same name. */
#ifndef TOOLS_LOG_CALL_CHAINS_H
#define TOOLS_LOG_CALL_CHAINS_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise it as {0}. */
struct call_chains {
    unsigned char *skipped; /* a bit for each line */
    size_t lines;
};

/* Finds them in a log of regions, which is read once more. A pipe, and a log with counters, whose
 * lines have their increase, have none. Returns false if out of memory. */
bool call_chains_find(struct call_chains *chains, const char *path);

/* Returns whether a line, from 1, begins or ends such a call. */
bool call_chains_skip(const struct call_chains *chains, long line);

void call_chains_fini(struct call_chains *chains);

#endif
