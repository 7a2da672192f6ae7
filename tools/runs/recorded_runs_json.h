/* SPDX-License-Identifier: MIT */
/* recorded_runs_json.h - recorded runs as JSON (schemas/runs.schema.json). */
#ifndef TOOLS_RUNS_RECORDED_RUNS_JSON_H
#define TOOLS_RUNS_RECORDED_RUNS_JSON_H

#include "tools/runs/recorded_runs.h"

#include <jansson.h>

/* Returns an array, or NULL if out of memory. */
json_t *recorded_runs_json(const struct recorded_runs *runs);

#endif
