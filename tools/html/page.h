/* SPDX-License-Identifier: MIT */
/* page.h - writes the reports of runs as a self-contained HTML page, without scripts and without
 * fonts or pictures from elsewhere. */
#ifndef TOOLS_HTML_PAGE_H
#define TOOLS_HTML_PAGE_H

#include "tools/log/collect.h"

void page_run(FILE *out, const struct collected *run);

#endif
