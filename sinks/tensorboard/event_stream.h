/* SPDX-License-Identifier: MIT */
/* event_stream.h - collects the values of a step into one event. */
#ifndef SINKS_TENSORBOARD_EVENT_STREAM_H
#define SINKS_TENSORBOARD_EVENT_STREAM_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* Returns the series of a tag, which stays where it is; NULL if out of memory. */
struct tag_series *tag_series_get(struct tag_series_list *list, const char *tag);

/* Makes the event file of a stream. */
int event_stream_open(struct tensorboard *t, struct stream *stream, double wall_s,
                      struct sw_error *err);
/* Marks in a new file where the run begins or resumes, if that is known. */
void event_stream_first(const struct tensorboard *t, struct sw_tb *tb);
/* The writer of a stream, opened if it was not; NULL when that failed, which is said. */
struct sw_tb *event_stream_tb(struct tensorboard *t, struct stream *stream, double wall_s);
/* The stream of a phase: one of its own with split_runs. */
struct stream *event_stream_of(struct tensorboard *t, enum sw_phase phase);
/* Returns whether it is the run itself: a tag there says its phase. */
bool event_stream_is_root(const struct stream *stream);
/* A value for the event of its step. */
void event_stream_point(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                        const char *tag, double value);
/* A value that is an event of its own, however many its step has. */
void event_stream_alone(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                        const char *tag, double value);
/* Describes a tag that has no value yet. */
__attribute__((format(printf, 5, 6))) void event_stream_describe(struct tensorboard *t,
                                                                 struct stream *stream,
                                                                 double wall_s, const char *tag,
                                                                 const char *format, ...);
/* Writes the events of all steps below this one. */
void event_stream_write(struct stream *stream, int64_t below);
/* Writes and closes; err keeps the first failure of several. */
void event_stream_close(struct stream *stream, struct sw_error *err);

#endif
