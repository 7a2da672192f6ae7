/* SPDX-License-Identifier: MIT */
/* charts.h - the Custom Scalars page. */
#ifndef SINKS_TENSORBOARD_CHARTS_H
#define SINKS_TENSORBOARD_CHARTS_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* One of CHART_… has a value, or the band with this tag (without _p50). A chart without any is not
 * shown. */
void charts_has(struct tensorboard *t, int chart);
void charts_has_band(struct tensorboard *t, const char *band);
/* Writes the layout, if there are new charts. */
void charts_update(struct tensorboard *t, int64_t step, double wall_s);
void charts_fini(struct tensorboard *t);

#endif
