/* SPDX-License-Identifier: MIT */
/* log_frames.h - frames of compressed run logs: whole lines, whose begin readers can find
 * (docs/run-log.md). */
#ifndef SINKS_RUNLOG_LOG_FRAMES_H
#define SINKS_RUNLOG_LOG_FRAMES_H

#include "sinks/common/runlog/frame_codec.h"

#include <stdio.h>

struct swi_log_frame;

/* Begins a frame. Returns NULL if out of memory. */
struct swi_log_frame *swi_log_frame_new(const struct swi_frame_codec *codec);
void swi_log_frame_free(struct swi_log_frame *frame);

/* Begins the next frame; what was not ended of this one is dropped. */
void swi_log_frame_begin(struct swi_log_frame *frame);

/* Adds lines to the frame, and to `out` what a file needs, so that a reader needs nothing that
 * follows. ends: the frame ends, and the next one begins. Returns false if out of memory. One of
 * the next two must follow before more lines do. */
bool swi_log_frame_add(struct swi_log_frame *frame, const char *lines, size_t size, bool ends,
                       struct swi_text *out);

/* They were written. */
void swi_log_frame_keep(struct swi_log_frame *frame);

/* They were not: they are taken back. Returns false if the frame cannot go on, and another begins.
 */
bool swi_log_frame_undo(struct swi_log_frame *frame);

/* Reads the lines of a file of frames. The stream owns fd, unless it is NULL. */
FILE *swi_log_frames_read(const struct swi_frame_codec *codec, int fd);

#endif
