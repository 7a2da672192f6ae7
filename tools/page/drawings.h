/* SPDX-License-Identifier: MIT */
/* drawings.h - the drawings of a page, each an inline SVG with its caption. One that has nothing to
 * show is left out. */
#ifndef TOOLS_PAGE_DRAWINGS_H
#define TOOLS_PAGE_DRAWINGS_H

#include "tools/log/collect.h"

/* Where the time of a step goes: one bar and its key. phase: SW_PHASE_TRAIN or SW_PHASE_VALID. */
void draw_bar(FILE *out, const struct collected_report *report, enum sw_phase phase, bool regions);

/* The durations of each action: 5, 25, 50, 75 and 95 %, the shortest and the longest. */
void draw_durations(FILE *out, const struct collected_report *report);

/* Samples a second over the steps of training: the median and the band from 5 to 95 %. */
void draw_throughput(FILE *out, const struct collected *run);

#endif
