/* SPDX-License-Identifier: MIT */
/* stream.h - a stdio stream that loses no line to a full disk while there is memory for it.
 *
 * stdio discards what it could not write. These streams keep up to SWI_STREAM_HELD bytes and write
 * them when there is room again. Beyond that, whole lines are dropped and counted, so that the file
 * never has a torn line in its middle. Only the thread that opened a stream writes: what exit()
 * flushes in a forked child, or for a thread that hangs in a write, is discarded. */
#ifndef CORE_FILES_STREAM_H
#define CORE_FILES_STREAM_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SWI_STREAM_HELD (1 << 20)

struct swi_stream;

/* Makes a stream that owns fd, or writes to stdout if fd is -1. path is for messages. Returns NULL
 * if out of memory. */
struct swi_stream *swi_stream_new(int fd, const char *path);

/* Returns the stream to write to, borrowed. It has no descriptor: fileno() fails. */
FILE *swi_stream_file(const struct swi_stream *stream);

/* Sets the text that is written first if another program has truncated the file (copytruncate of
 * logrotate). It is copied and replaces an earlier text. Returns 0 or SW_ENOMEM. */
int swi_stream_head(struct swi_stream *stream, const char *text, size_t size);

/* Writes bytes after everything that was printed or is held: all of them, or none. Returns 0 or
 * SW_EIO. */
int swi_stream_put(struct swi_stream *stream, const char *data, size_t size, struct sw_error *err);

/* Writes everything that was printed or is held. Returns 0 or SW_EIO. */
int swi_stream_flush(struct swi_stream *stream, struct sw_error *err);

/* Flushes, closes and frees. A line that could be written only in part is removed. lost: set to the
 * number of lost lines. Returns 0 or SW_EIO. */
int swi_stream_close(struct swi_stream *stream, int64_t *lost, struct sw_error *err);

#endif
