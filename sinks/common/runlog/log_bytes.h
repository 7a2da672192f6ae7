/* SPDX-License-Identifier: MIT */
/* log_bytes.h - the bytes of a run log, which may be compressed: that is seen by what it begins
 * with, not by its name. A log that grows is read on from where it ended.
 *
 * A compressed log is a sequence of frames of gzip or zstd. Those of the sink runlog begin with
 * a mark that no other bytes have, so that reading can begin at one, and goes on at the next one
 * where one is torn or damaged (docs/run-log.md). */
#ifndef SINKS_COMMON_RUNLOG_LOG_BYTES_H
#define SINKS_COMMON_RUNLOG_LOG_BYTES_H

#include "sinks/common/runlog/frame_codec.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct swi_log_bytes {
    int fd;                              /* the caller's; -1: there is none */
    off_t offset;                        /* in the file, of what was read from it */
    bool begun;                          /* something was read: whether it is compressed is known */
    const struct swi_frame_codec *codec; /* NULL: it is not compressed */
    struct swi_log_unpacking *packed;    /* NULL too if this build lacks its library */
};

/* Nothing was read from fd yet. */
void swi_log_bytes_init(struct swi_log_bytes *bytes, int fd);

/* Frees everything but the descriptor. */
void swi_log_bytes_fini(struct swi_log_bytes *bytes);

/* Reads at most `size` bytes of the log's text. Returns how many; 0 if there are no more, for now;
 * or -1 with errno. EBADMSG: a frame is torn or damaged. The text before does not end with a whole
 * line, and the next call reads on at the next frame. */
ssize_t swi_log_bytes_read(struct swi_log_bytes *bytes, char *to, size_t size);

/* Returns SW_EIO if what was read of the log needs a library that this build lacks, else 0. */
int swi_log_bytes_check(const struct swi_log_bytes *bytes, const char *path, struct sw_error *err);

/* Returns whether a file is compressed. */
bool swi_log_bytes_packed(const struct swi_log_bytes *bytes);

/* Begins at the start again, or at a place where a tail began before; only for files. */
void swi_log_bytes_begin(struct swi_log_bytes *bytes, off_t begin);

/* Begins so that at least the last `size` bytes of a file are read, or all: for a compressed one at
 * the begin of a frame. Returns false if it begins at the start. */
bool swi_log_bytes_tail(struct swi_log_bytes *bytes, off_t size);

#endif
