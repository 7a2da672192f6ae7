/* SPDX-License-Identifier: MIT */
/* drawing_throughput.h - a drawing of a page: an inline SVG with its caption, left out if it has
 * nothing to show. */
#ifndef TOOLS_HTML_DRAWING_THROUGHPUT_H
#define TOOLS_HTML_DRAWING_THROUGHPUT_H

#include "tools/log/collect.h"

/* Draws samples per second over the training steps: the median and the band from 5 to 95 %. */
void draw_throughput(FILE *out, const struct collected *run);

#endif
