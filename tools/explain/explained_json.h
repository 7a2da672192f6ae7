/* SPDX-License-Identifier: MIT */
/* explained_json.h - findings as JSON: docs/command.md. */
#ifndef TOOLS_EXPLAIN_EXPLAINED_JSON_H
#define TOOLS_EXPLAIN_EXPLAINED_JSON_H

#include "tools/explain/explained.h"

/* One run: the log and its fits. NULL if out of memory. */
json_t *explained_json(const struct explained *explained);

/* The findings alone. */
json_t *findings_json(const struct swi_advice *advice);

#endif
