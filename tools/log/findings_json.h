/* SPDX-License-Identifier: MIT */
/* findings_json.h - findings as JSON: docs/command.md. */
#ifndef TOOLS_LOG_FINDINGS_JSON_H
#define TOOLS_LOG_FINDINGS_JSON_H

#include "core/advice/advice.h"

#include <jansson.h>

/* Returns one finding, or NULL if out of memory. */
json_t *finding_json(const struct sw_finding *finding);

/* Returns a list, or NULL if out of memory. */
json_t *findings_json(const struct swi_advice *advice);

#endif
