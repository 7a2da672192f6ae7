/* SPDX-License-Identifier: MIT */
/* tail.h - the last epoch of a run log, without reading all of a long one. */
#ifndef TOOLS_WATCH_TAIL_H
#define TOOLS_WATCH_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log_tail {
    off_t jump;   /* what is between the log's begin and this place is not needed; 0: it is */
    int64_t from; /* offset of the line that begins the last epoch, as struct follow counts it */
};

/* Finds the line that begins the last epoch. In a log of many MiB, looks only at its end, and jumps
 * to the last line "index" before the epoch; an epoch that began before the first such line of the
 * end is read from that line on. All is 0 if there is no epoch, or no file. */
struct log_tail tail_find(const char *path);

/* Returns whether a line before the last epoch is left out: steps, metrics and regions. The lines
 * about the run, its epochs and its alerts are not. */
bool tail_leaves_out(const char *line, size_t size);

#endif
