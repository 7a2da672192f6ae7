/* SPDX-License-Identifier: MIT */
/* merged_text.h - prints a merge for people: as a table, as markdown, as CSV. */
#ifndef TOOLS_MERGE_MERGED_TEXT_H
#define TOOLS_MERGE_MERGED_TEXT_H

#include "tools/merge/merged.h"

void merged_table(const struct merged *merged);
void merged_markdown(const struct merged *merged);
void merged_csv(const struct merged *merged);

#endif
