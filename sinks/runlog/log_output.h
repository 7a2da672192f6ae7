/* SPDX-License-Identifier: MIT */
/* log_output.h - the file of a run log: as text, or compressed in frames.
 *
 * A frame is a gzip member of whole lines. Each flush ends a block of it, so that everything before
 * can be read: also in a frame that a killed program did not end. */
#ifndef SINKS_RUNLOG_LOG_OUTPUT_H
#define SINKS_RUNLOG_LOG_OUTPUT_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct swi_frames;

/* Initialise it as {0}. */
struct swi_log_output {
    struct sw_sink *sink;
    FILE *file;
    struct swi_frames *frames; /* NULL: the lines are written as text */
};

/* Returns whether this build can compress. */
bool swi_log_output_compresses(void);

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

/* Adds lines as a frame of their own. Sets frame->failed without memory. */
void swi_log_output_frame(struct swi_text *frame, const char *lines, size_t size);

/* Reads a file of lines or frames from this byte of its text on. The stream owns fd, which is
 * closed if it returns NULL. */
FILE *swi_log_output_read(int fd, bool compressed, int64_t at);

#endif
