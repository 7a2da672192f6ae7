/* SPDX-License-Identifier: MIT */
/* finding_changes_json.h - what changed by findings, as JSON (docs/command.md). */
#ifndef TOOLS_COMPARE_FINDING_CHANGES_JSON_H
#define TOOLS_COMPARE_FINDING_CHANGES_JSON_H

#include "tools/compare/finding_changes.h"

/* Returns a list, or null if it is not known. Returns NULL if out of memory. */
json_t *finding_changes_json(const struct finding_changes *changes);

#endif
