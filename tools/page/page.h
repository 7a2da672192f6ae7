/* SPDX-License-Identifier: MIT */
/* page.h - the reports of runs as one HTML page that needs nothing else: no script, no font, no
 * picture from elsewhere. */
#ifndef TOOLS_PAGE_PAGE_H
#define TOOLS_PAGE_PAGE_H

#include "tools/log/collect.h"

void page_begin(FILE *out);
void page_run(FILE *out, const struct collected *run);
void page_end(FILE *out);

#endif
