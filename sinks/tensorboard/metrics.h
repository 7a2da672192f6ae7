/* SPDX-License-Identifier: MIT */
/* metrics.h - what sw_log() and the profiler say while the loop runs, and how long epochs take. */
#ifndef SINKS_TENSORBOARD_METRICS_H
#define SINKS_TENSORBOARD_METRICS_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* The stream of a value by its name, and the tag that it has there. */
struct stream *metrics_stream(struct tensorboard *t, const struct sw_record *record,
                              const char *name, char *tag, size_t size);
/* Notices that the step went back. */
void metrics_follow_step(struct tensorboard *t, const struct sw_record *record);
void metrics_record(struct tensorboard *t, const struct sw_record *record);
void mark_record(struct tensorboard *t, const struct sw_record *record);

#endif
