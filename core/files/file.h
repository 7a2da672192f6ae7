/* SPDX-License-Identifier: MIT */
/* file.h - files that nobody ever sees a half of, made without following a link. */
#ifndef CORE_FILES_FILE_H
#define CORE_FILES_FILE_H

#include <stepwatch/error.h>

/* Opens a new file for writing under its name, in place of an old one; missing folders are made. A
 * device or a FIFO is opened as it is, unless others may have put it there; a link in the path is
 * followed by the rules of walk.h. path: absolute. Returns the descriptor, or a negative code. */
int swi_file_create(const char *path, struct sw_error *err);

/* Gives the file a new content at once: by a temporary file, which is renamed. Calls fsync() only
 * if it replaces an older content, so that a power failure leaves one of the two. */
int swi_file_replace(const char *path, const char *text, size_t size, struct sw_error *err);

/* For a path that somebody else opens: SW_EIO if it leads through a link that walk.h refuses. */
int swi_path_check(const char *path, struct sw_error *err);

/* Keeps a standard descriptor that is closed from being given to a file that is opened later, where
 * what is printed would land. To be called before there are threads that open files. */
void swi_standard_hold(void);

/* Writes all of text, unless it fails: returns how much was written, errno says why not all. */
size_t swi_fd_write(int fd, const char *text, size_t size);

/* In the child of a fork: another thread of the parent may be writing to stdout, ours does not wait
 * for it. */
void swi_stdout_child(void);

/* The same to stdout, behind what the program printed, and no two sinks at once. */
size_t swi_stdout_write(const char *text, size_t size);

#endif
