/* SPDX-License-Identifier: MIT */
/* drawing_durations.h - a drawing of a page: an inline SVG with its caption, left out if it has
 * nothing to show. */
#ifndef TOOLS_HTML_DRAWING_DURATIONS_H
#define TOOLS_HTML_DRAWING_DURATIONS_H

#include "tools/log/collect.h"

/* Draws the durations of each action: 5, 25, 50, 75 and 95 %, the shortest and the longest. */
void draw_durations(FILE *out, const struct collected_report *report);

#endif
