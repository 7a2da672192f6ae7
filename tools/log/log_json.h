/* SPDX-License-Identifier: MIT */
/* log_json.h - what --json says of a log that was read. */
#ifndef TOOLS_LOG_LOG_JSON_H
#define TOOLS_LOG_LOG_JSON_H

#include "tools/log/run_replay.h"

/* Returns the object `log`: how much of the log was read, and what it lacks; NULL if out of memory.
 */
json_t *log_json(const struct replay *replay);

#endif
