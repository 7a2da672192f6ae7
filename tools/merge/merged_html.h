/* SPDX-License-Identifier: MIT */
/* merged_html.h - writes a merge as a self-contained HTML page. */
#ifndef TOOLS_MERGE_MERGED_HTML_H
#define TOOLS_MERGE_MERGED_HTML_H

#include "tools/merge/merged.h"

#include <stdio.h>

void merged_html(FILE *out, const struct merged *merged);

#endif
