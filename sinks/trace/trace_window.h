/* SPDX-License-Identifier: MIT */
/* trace_window.h - begins and ends the timeline of a window. */
#ifndef SINKS_TRACE_TRACE_WINDOW_H
#define SINKS_TRACE_TRACE_WINDOW_H

#include "sinks/trace/trace_sink.h"

int trace_window_begin(struct trace *trace, const struct sw_record *record, struct sw_error *err);

/* Completes the file. Does nothing if no window is open. */
int trace_window_end(struct trace *trace, int64_t end_ns, struct sw_error *err);

/* Ends what is open where the window ends, as `stepwatch export` does, then completes the file. */
int trace_window_close(struct trace *trace, const struct sw_window *window, struct sw_error *err);

#endif
