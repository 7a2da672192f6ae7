/* SPDX-License-Identifier: MIT */
/* file.h - files that nobody ever sees half-written, unless they cannot be replaced. */
#ifndef CORE_FILES_FILE_H
#define CORE_FILES_FILE_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a new file for writing under its name, in place of an old one. Missing folders are created.
 * A device or a FIFO is opened as it is, unless another user may have put it there; so is a
 * descriptor of the program. A file that cannot be replaced is emptied: see in_place.h. A
 * link in the path is followed by the rules of walk.h, but not its last part: swi_target_follow().
 * path: absolute. Returns the descriptor, or a negative code. */
int swi_file_create(const char *path, struct sw_error *err);

/* Replaces the content of a file at once, by renaming a temporary file. Calls fsync() only if there
 * is an older content, so that one of the two survives a power failure. */
int swi_file_replace(const char *path, const char *text, size_t size, struct sw_error *err);

/* Gives a complete file its final name, in place of an old one. If that cannot be replaced, its
 * content is. */
int swi_file_move(const char *from, const char *path, struct sw_error *err);

/* Remembers what stdout and stderr are. Call it when the program opens a profiler. */
void swi_standard_note(void);

/* Returns whether stdout or stderr is for output. If the program closes all descriptors, a file
 * that it opens for its own data may get this number. A file for output that it opens later is for
 * writing only, or appended to. */
bool swi_standard_is_output(int fd);

/* Makes the lock of stdout free in the child of a fork, because another thread of the parent may
 * have been writing. */
void swi_stdout_child(void);

/* Like swi_fd_write(), but to stdout, after the program's own output. Only one sink writes at a
 * time. */
size_t swi_stdout_write(const char *text, size_t size);

/* ---- a stdio stream that loses no line to a full disk while there is memory for it ----------- */

/* stdio discards what it could not write. These streams keep up to SWI_STREAM_HELD bytes and write
 * them when there is room again. Beyond that, whole lines are dropped and counted, so that the
 * file never has a torn line in its middle. Only the thread that opened a stream writes: what
 * exit() flushes in a forked child, or for a thread that hangs in a write, is discarded. */

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

/* ---- what has the name of an output ---------------------------------------------------------- */

/* What has the name of an output before anything is written: nothing, a file, a device
 * or a FIFO, a link, or a descriptor of the program (/dev/stdout, /dev/fd/3). */

struct swi_target {
    int special;      /* a descriptor for writing if it is not a regular file, else -1 */
    bool has_content; /* a regular file that is not empty */
};

/* Opens what has this name and is not a regular file: a device or a FIFO, unless another user may
 * have put it there, or a descriptor of the program, of which it makes a copy. Returns 0 or SW_EIO.
 */
int swi_target_open(int folder, const char *name, const char *path, struct swi_target *target,
                    struct sw_error *err);

/* Opens a regular file that cannot be replaced by another one of its name, and empties it: see
 * in_place.h. Makes it if it is missing. Returns the descriptor, or -1 with errno. */
int swi_target_empty(int folder, const char *name);

/* Replaces an absolute path whose last part is a link by what the link leads to, which need not
 * exist. Returns 0, or SW_EIO if walk.h refuses the link. */
int swi_target_follow(char path[PATH_MAX], struct sw_error *err);

/* Checks a path that other code will open. Returns SW_EIO if it leads through a link that walk.h
 * refuses. */
int swi_path_check(const char *path, struct sw_error *err);

/* Tries whether an output can be written: its folder exists or can be made, and may be written to,
 * or the file itself may. Changes nothing. path: absolute. folder: it is a folder. Returns 0 or
 * SW_EIO. Full disks and the like may pass, so they are no error. */
int swi_target_try(const char *path, bool folder, struct sw_error *err);

#endif
