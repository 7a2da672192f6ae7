/* SPDX-License-Identifier: MIT */
/* merged_json.h - writes a merge as JSON (docs/ranks.md). */
#ifndef TOOLS_MERGE_MERGED_JSON_H
#define TOOLS_MERGE_MERGED_JSON_H

#include "tools/merge/merged.h"

/* Returns NULL if out of memory. */
json_t *merged_json(const struct merged *merged);

#endif
