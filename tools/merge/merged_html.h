/* SPDX-License-Identifier: MIT */
/* merged_html.h - a merge as a page of HTML that needs nothing else. */
#ifndef TOOLS_MERGE_MERGED_HTML_H
#define TOOLS_MERGE_MERGED_HTML_H

#include "tools/merge/merged.h"

#include <stdio.h>

void merged_html(FILE *out, const struct merged *merged);

#endif
