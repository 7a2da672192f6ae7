/* SPDX-License-Identifier: MIT */
/* screen_runs.h - what `stepwatch watch` shows of several runs on a whole screen. */
#ifndef TOOLS_WATCH_SCREEN_RUNS_H
#define TOOLS_WATCH_SCREEN_RUNS_H

#include "tools/watch/screen_lines.h"
#include "tools/watch/watched.h"

/* Several runs, one of them chosen. */
void screen_runs(struct screen *screen, struct watched *const *run, size_t count, size_t chosen,
                 const char *keys);

#endif
