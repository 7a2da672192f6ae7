/* SPDX-License-Identifier: MIT */
/* log_frames.h - frames of compressed run logs: gzip members of whole lines, whose begin readers
 * can find (docs/run-log.md). */
#ifndef SINKS_RUNLOG_LOG_FRAMES_H
#define SINKS_RUNLOG_LOG_FRAMES_H

#include "core/text/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct swi_log_frame;

/* Returns whether this build can compress. */
bool swi_log_frames_are_known(void);

/* Begins a frame. Returns NULL if out of memory, or without zlib. */
struct swi_log_frame *swi_log_frame_new(void);
struct swi_log_frame *swi_log_frame_copy(struct swi_log_frame *frame);
void swi_log_frame_free(struct swi_log_frame *frame);

/* Begins the next frame; what was not ended of this one is dropped. */
void swi_log_frame_begin(struct swi_log_frame *frame);

/* Adds lines to the frame, and to `out` what a file needs, so that a reader needs nothing that
 * follows. ends: the frame ends, and the next one begins. Returns false if out of memory. */
bool swi_log_frame_add(struct swi_log_frame *frame, const char *lines, size_t size, bool ends,
                       struct swi_text *out);

/* Reads the lines of a file of frames. The stream owns fd, unless it is NULL. */
FILE *swi_log_frames_read(int fd);

#endif
