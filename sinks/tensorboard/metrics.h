/* SPDX-License-Identifier: MIT */
/* metrics.h - what sw_log() and the profiler say while the loop runs, and how long epochs take. */
#ifndef SINKS_TENSORBOARD_METRICS_H
#define SINKS_TENSORBOARD_METRICS_H

#include "sinks/tensorboard/tensorboard.h"

void metrics_record(struct tensorboard *t, const struct sw_record *record);
void mark_record(struct tensorboard *t, const struct sw_record *record);

#endif
