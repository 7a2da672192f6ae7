/* SPDX-License-Identifier: MIT */
/* tail.h - where the last epoch begins in a run log, so that a long one need not be read in full.
 */
#ifndef TOOLS_WATCH_TAIL_H
#define TOOLS_WATCH_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the offset of the line that begins the last epoch; 0 if there is none, or no file. */
int64_t tail_find(const char *path);

/* Returns whether a line before that offset is left out: steps, metrics and regions. The lines
 * about the run, its epochs and its alerts are not. */
bool tail_leaves_out(const char *line, size_t size);

#endif
