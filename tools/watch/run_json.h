/* SPDX-License-Identifier: MIT */
/* run_json.h - what is known of a run that is watched, for programs. */
#ifndef TOOLS_WATCH_RUN_JSON_H
#define TOOLS_WATCH_RUN_JSON_H

#include "tools/watch/watched.h"

/* The caller's; NULL if out of memory. */
json_t *run_json(const struct watched *run);

#endif
