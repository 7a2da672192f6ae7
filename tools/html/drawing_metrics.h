/* SPDX-License-Identifier: MIT */
/* drawing_metrics.h - the values that the program logged, over the steps of training. */
#ifndef TOOLS_HTML_DRAWING_METRICS_H
#define TOOLS_HTML_DRAWING_METRICS_H

#include "tools/log/collect.h"

/* A chart for each quantity: train/loss and valid/loss share one, and so do loss/a and loss/b if
 * they are of like size. */
void draw_metrics(FILE *out, const struct metric_list *metrics);

#endif
