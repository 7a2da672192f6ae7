/* SPDX-License-Identifier: MIT */
/* epoch.h - histograms and bands of one epoch's durations. */
#ifndef SINKS_TENSORBOARD_EPOCH_H
#define SINKS_TENSORBOARD_EPOCH_H

#include "sinks/tensorboard/tensorboard_sink.h"

void epoch_record(struct tensorboard *t, const struct sw_record *record);
void epoch_fini(struct tensorboard *t);

#endif
