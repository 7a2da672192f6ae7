/* SPDX-License-Identifier: MIT */
/* page_table.h - the table of durations. */
#ifndef TOOLS_HTML_PAGE_TABLE_H
#define TOOLS_HTML_PAGE_TABLE_H

#include "tools/log/collect.h"

void put_table(FILE *out, const struct collected *run, const struct collected_report *collected);

/* Cells of any table. text: HTML. */
void put_cell(FILE *out, const char *text);
void put_time(FILE *out, double ns);

#endif
