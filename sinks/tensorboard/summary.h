/* SPDX-License-Identifier: MIT */
/* summary.h - the report as text, and its figures as scalars. */
#ifndef SINKS_TENSORBOARD_SUMMARY_H
#define SINKS_TENSORBOARD_SUMMARY_H

#include "sinks/tensorboard/tensorboard_sink.h"

void summary_record(struct tensorboard *t, const struct sw_record *record);

#endif
