/* SPDX-License-Identifier: MIT */
/* file.h - files that nobody ever sees half-written, unless they cannot be replaced. */
#ifndef CORE_FILES_FILE_H
#define CORE_FILES_FILE_H

#include <stepwatch/error.h>

#include <stdbool.h>

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

/* Writes all of text unless it fails. Returns how much was written. errno says why it was not all.
 */
size_t swi_fd_write(int fd, const char *text, size_t size);

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

#endif
