/* SPDX-License-Identifier: MIT */
/* drawing_bar.h - a drawing of a page: an inline SVG with its caption, left out if it has nothing
 * to show. */
#ifndef TOOLS_HTML_DRAWING_BAR_H
#define TOOLS_HTML_DRAWING_BAR_H

#include "tools/log/collect.h"

/* Draws where the time of a step goes: one bar and its key. phase: SW_PHASE_TRAIN or
 * SW_PHASE_VALID. */
void draw_bar(FILE *out, const struct collected_report *report, enum sw_phase phase, bool regions);

#endif
