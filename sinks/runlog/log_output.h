/* SPDX-License-Identifier: MIT */
/* log_output.h - the file of a run log: as text, or compressed in frames.
 *
 * A frame is a gzip member of whole lines. Each flush ends a block of it, so that everything before
 * can be read: also in a frame that a killed program did not end. */
#ifndef SINKS_RUNLOG_LOG_OUTPUT_H
#define SINKS_RUNLOG_LOG_OUTPUT_H

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct swi_compressed;

/* Initialise it as {0}. */
struct swi_log_output {
    struct sw_sink *sink;
    FILE *file;
    struct swi_compressed *packed; /* NULL: the lines are written as text */
};

int swi_log_output_open(struct swi_log_output *file, struct sw_sink *sink, const char *path,
                        bool compressed, struct sw_error *err);

/* Sets the lines that the file begins with after another program has truncated it. */
void swi_log_output_head(struct swi_log_output *file, const char *lines, size_t size);

/* Adds whole lines. While the disk is full, 1 MiB of them waits; more are lost, and counted. */
void swi_log_output_add(struct swi_log_output *file, const char *lines, size_t size);

/* Writes what was added. Core says what fails when it flushes the files of the sink. */
void swi_log_output_flush(struct swi_log_output *file);

/* Writes the rest, and frees everything but the file, which core closes. */
void swi_log_output_close(struct swi_log_output *file);

#endif
