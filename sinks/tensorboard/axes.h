/* SPDX-License-Identifier: MIT */
/* axes.h - the rules of metrics: their descriptions, and which metric counts as the step. */
#ifndef SINKS_TENSORBOARD_AXES_H
#define SINKS_TENSORBOARD_AXES_H

#include "sinks/tensorboard/tensorboard_sink.h"

void axes_rule(struct tensorboard *t, const struct sw_record *record);

/* Before the points of a record are written: values of axes are those of the record. */
void axes_follow(struct tensorboard *t, const struct sw_record *record);

/* The step of a value of this name: that of the record, or the last value of its axis. Call it once
 * for each value. */
int64_t axes_step(struct tensorboard *t, const struct sw_record *record, const char *name);

/* Describes a tag by its rule, if there is one and the tag has no value yet. */
void axes_describe(struct tensorboard *t, struct stream *stream, double wall_s, const char *tag,
                   const char *name);

void axes_fini(struct tensorboard *t);

#endif
