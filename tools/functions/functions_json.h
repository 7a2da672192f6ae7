/* SPDX-License-Identifier: MIT */
/* functions_json.h - a function profile as JSON (docs/command.md). */
#ifndef TOOLS_FUNCTIONS_FUNCTIONS_JSON_H
#define TOOLS_FUNCTIONS_FUNCTIONS_JSON_H

#include "sinks/common/functions/pstats_list.h"
#include "tools/functions/profile_source.h"

#include <jansson.h>

/* Returns the functions that `how` leaves, in its order; their callers or callees if that is the
 * view. action: NULL for the whole run. Returns NULL if out of memory. */
json_t *functions_json(const char *action, const struct stats *stats, const struct pstats *how);

/* Returns what a reader must know about a profile besides its numbers; NULL if out of memory. */
json_t *summary_json(const struct profile_source *source);

#endif
