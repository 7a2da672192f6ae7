/* SPDX-License-Identifier: MIT */
/* screen.h - what `stepwatch watch` shows of a run on a whole screen. */
#ifndef TOOLS_WATCH_SCREEN_H
#define TOOLS_WATCH_SCREEN_H

#include "tools/watch/screen_lines.h"
#include "tools/watch/watched.h"

/* What is shown of a run. */
enum screen_part { SCREEN_ALL, SCREEN_METRICS, SCREEN_ACTIONS, SCREEN_FINDINGS, SCREEN_HELP };

/* A run. keys: what the last row says; NULL: nothing. */
void screen_run(struct screen *screen, const struct watched *run, enum screen_part part,
                const char *keys);

#endif
