/* SPDX-License-Identifier: MIT */
/* output.h - the files of the sink trace: chooses their names, creates and completes them. */
#ifndef SINKS_TRACE_OUTPUT_H
#define SINKS_TRACE_OUTPUT_H

#include "sinks/trace/trace_sink.h"

/* Returns whether a path is a folder in which files of the format get names of their own. */
bool trace_path_is_folder(const struct swi_timeline_format *format, const char *path);

/* Chooses the name of a window's file and creates it. */
int trace_output_open(struct trace *trace, const struct sw_window *window, struct sw_error *err);

/* Writes data of the timeline. arg: the struct trace. */
bool trace_output_write(void *arg, const char *data, size_t size);

/* Ends the newest segment and begins the next one. If there are more than SEGMENTS, removes the
 * oldest. */
bool trace_output_next(void *arg);

/* Ends the file of a window. whole: it is complete and gets its name. */
int trace_output_close(struct trace *trace, bool whole, struct sw_error *err);

#endif
