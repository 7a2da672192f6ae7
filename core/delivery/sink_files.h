/* SPDX-License-Identifier: MIT */
/* sink_files.h - the files of a sink, which core opens, flushes and closes. */
#ifndef CORE_DELIVERY_SINK_FILES_H
#define CORE_DELIVERY_SINK_FILES_H

#include "core/delivery/worker.h"

#include <stdio.h>

/* The implementations of sw_sink_create(), sw_sink_head() and so on. */
int swi_files_create(struct sw_sink *sink, const char *path, FILE **stream, struct sw_error *err);
int swi_files_head(struct sw_sink *sink, FILE *stream, const char *text, size_t size);
int swi_files_write(struct sw_sink *sink, FILE *stream, const void *data, size_t size,
                    struct sw_error *err);
int swi_files_finish(struct sw_sink *sink, FILE *stream, const char *path, struct sw_error *err);
int swi_files_replace(struct sw_sink *sink, const char *path, const char *text, size_t size,
                      struct sw_error *err);
int swi_files_resolve(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                      struct sw_error *err);

/* Called before the sink is opened: claims the file that its option `path` names against other
 * sinks in any process, or chooses another name, and tries whether it can be written. Returns 0, or
 * a negative code if it cannot. */
int swi_files_hold(struct swi_worker *worker, struct sw_error *err);

/* Flushes the sink's streams. err: the first failure. */
int swi_files_flush(struct swi_worker *worker, struct sw_error *err);

/* Flushes and closes them. text: set to the files that lost lines, and how many; "" if none did. */
int swi_files_close(struct swi_worker *worker, char *text, size_t size, struct sw_error *err);

#endif
