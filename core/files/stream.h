/* SPDX-License-Identifier: MIT */
/* stream.h - a stdio stream that loses no line to a full disk for as long as memory for it lasts.
 *
 * stdio throws away what it could not write. These streams keep it, up to SWI_STREAM_HELD bytes,
 * and write it when there is room again; beyond that whole lines are dropped and counted, so that
 * the file never has a torn line in its middle. Only the thread that opened a stream writes: what
 * exit() flushes in a forked child, or for a thread that hangs in a write, goes nowhere. */
#ifndef CORE_FILES_STREAM_H
#define CORE_FILES_STREAM_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SWI_STREAM_HELD (1 << 20)

struct swi_stream;

/* Takes fd, or writes to stdout where fd is -1. path is for messages. NULL if out of memory. */
struct swi_stream *swi_stream_new(int fd, const char *path);

/* The stream to write to: borrowed. Its descriptor is not told: fileno() fails. */
FILE *swi_stream_file(const struct swi_stream *stream);

/* Sets what a file begins with from now on when another program has cut it off (copytruncate of
 * logrotate), in place of an earlier text. Copied. 0 or SW_ENOMEM. */
int swi_stream_head(struct swi_stream *stream, const char *text, size_t size);

/* Writes bytes behind all that was printed and that is held: all of them, or none. 0 or SW_EIO. */
int swi_stream_put(struct swi_stream *stream, const char *data, size_t size, struct sw_error *err);

/* Writes all that was printed and that is held. */
int swi_stream_flush(struct swi_stream *stream, struct sw_error *err);

/* The same, then closes and frees; a line that could be written only in part is taken back. lost:
 * set to how many lines were lost. */
int swi_stream_close(struct swi_stream *stream, int64_t *lost, struct sw_error *err);

#endif
