/* SPDX-License-Identifier: MIT */
/* watched_state.h - whether a run goes on, is silent, has ended, or was killed. */
#ifndef TOOLS_WATCH_WATCHED_STATE_H
#define TOOLS_WATCH_WATCHED_STATE_H

#include "tools/watch/watched.h"

enum watched_state { WATCHED_WAITS, WATCHED_RUNS, WATCHED_SILENT, WATCHED_FINISHED, WATCHED_DEAD };

enum watched_state watched_state(const struct watched *watched);

/* "runs", "silent for 2:14", "ended without finish (killed?)". */
const char *watched_state_text(const struct watched *watched, char *buffer, size_t size);

#endif
