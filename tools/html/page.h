/* SPDX-License-Identifier: MIT */
/* page.h - writes the reports of runs as a self-contained HTML page, without scripts and without
 * fonts or pictures from elsewhere. */
#ifndef TOOLS_HTML_PAGE_H
#define TOOLS_HTML_PAGE_H

#include "sinks/common/functions/profile.h"
#include "tools/log/collect.h"

#include <stdbool.h>
#include <stdio.h>

void page_begin(FILE *out);
void page_run(FILE *out, const struct collected *run);
void page_end(FILE *out);

/* Draws in which functions each action spent its time: a flame graph, and a table of the largest
 * functions. Draws each action, or the whole program if there are none. The profile must have its
 * names. Returns false if out of memory. */
bool draw_flames(FILE *out, const struct profile *profile);

#endif
