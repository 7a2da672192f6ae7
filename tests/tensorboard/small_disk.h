/* SPDX-License-Identifier: MIT */
/* small_disk.h - a file system of its own for a test: real, small, and seen by this process and its
 * children alone. */
#ifndef TESTS_SMALL_DISK_H
#define TESTS_SMALL_DISK_H

#include <stdbool.h>
#include <stddef.h>

/* Mounts an empty file system of this many bytes on the folder, which is there already. Before the
 * process has threads. Where a process may not mount any, says so in a line that begins with SKIP,
 * and returns false. */
bool small_disk_mount(const char *dir, size_t bytes);

/* From now on it refuses every write. */
void small_disk_protect(const char *dir);

/* Makes a file of all the room that is left. */
void small_disk_fill(const char *path);

/* Unmounts it, if it is mounted. */
void small_disk_unmount(const char *dir);

#endif
