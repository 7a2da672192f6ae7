/* SPDX-License-Identifier: MIT */
/* plain_output.h - the file of the newest segment that is not compressed, and what waits for a disk
 * that is full. */
#ifndef SINKS_TRACE_PLAIN_OUTPUT_H
#define SINKS_TRACE_PLAIN_OUTPUT_H

#include "sinks/trace/trace_sink.h"

/* Creates the file. If the disk is full, each write tries again. */
int trace_plain_open(struct trace *trace, const char *path, struct sw_error *err);

/* Writes to it. What a full disk does not take waits, up to 1 MiB. Returns false if something is
 * lost: trace->error says why. */
bool trace_plain_write(struct trace *trace, const char *data, size_t size);

/* Writes what waits, for the last time. Returns the same. */
bool trace_plain_end(struct trace *trace);

#endif
