/* SPDX-License-Identifier: MIT */
/* explained_json.h - writes findings as JSON (docs/command.md). */
#ifndef TOOLS_EXPLAIN_EXPLAINED_JSON_H
#define TOOLS_EXPLAIN_EXPLAINED_JSON_H

#include "tools/explain/explained.h"

/* Returns one run: the log and its fits. Returns NULL if out of memory. */
json_t *explained_json(const struct explained *explained);

#endif
