/* SPDX-License-Identifier: MIT */
/* progress.h - shows the progress of reading a log on stderr, if that is a terminal. */
#ifndef TOOLS_LOG_PROGRESS_H
#define TOOLS_LOG_PROGRESS_H

#include "tools/log/log_lines.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const struct log *log;
    int64_t size;    /* 0 if not known */
    int64_t next_ms; /* when the next line is due */
    bool on;
    bool shown;
};

/* Begins. No progress is shown if reading takes less than half a second. */
void progress_begin(struct progress *progress, const struct log *log);

/* Shows the progress if it is due. Call it after each line: it rarely looks at the clock. */
void progress_update(struct progress *progress);

/* Removes the line from the terminal. */
void progress_end(struct progress *progress);

#endif
