/* SPDX-License-Identifier: MIT */
/* progress.h - how far the reading of a log is, on stderr, if that is a terminal. */
#ifndef TOOLS_LOG_PROGRESS_H
#define TOOLS_LOG_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    const char *path;
    FILE *file;
    int64_t size;    /* 0: not known */
    int64_t next_ms; /* when a line is due */
    bool on;
    bool shown;
};

/* Begins. What is read within half a second has no progress shown. */
void progress_begin(struct progress *progress, const char *path, FILE *file);

/* After a line of the log; looks at the clock once in a while only. */
void progress_tell(struct progress *progress, long lines);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
