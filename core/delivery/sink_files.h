/* SPDX-License-Identifier: MIT */
/* sink_files.h - the files that core opens for a sink, flushes, and closes at its end. */
#ifndef CORE_DELIVERY_SINK_FILES_H
#define CORE_DELIVERY_SINK_FILES_H

#include "core/delivery/worker.h"

#include <stdio.h>

/* What sw_sink_create(), sw_sink_head() and the others do. */
int swi_files_create(struct sw_sink *sink, const char *path, FILE **stream, struct sw_error *err);
int swi_files_head(struct sw_sink *sink, FILE *stream, const char *text, size_t size);
int swi_files_write(struct sw_sink *sink, FILE *stream, const void *data, size_t size,
                    struct sw_error *err);
int swi_files_finish(struct sw_sink *sink, FILE *stream, const char *path, struct sw_error *err);
int swi_files_replace(struct sw_sink *sink, const char *path, const char *text, size_t size,
                      struct sw_error *err);
int swi_files_resolve(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                      struct sw_error *err);

/* Before the sink is opened: keeps other sinks, in any process, from the file that its option
 * `path` names, or chooses another name. */
void swi_files_hold(struct swi_worker *worker);

/* Pushes out what the sink's streams hold; the first failure is told in err. */
int swi_files_flush(struct swi_worker *worker, struct sw_error *err);

/* The same, and closes them. text: set to which files lost how many lines, "" where none did. */
int swi_files_close(struct swi_worker *worker, char *text, size_t size, struct sw_error *err);

#endif
