/* SPDX-License-Identifier: MIT */
/* part_file.h - files of a folder that only one sink of one process writes to: each is complete, or
 * has another name, which begins with .part-. Core does not lock files of such names. */
#ifndef SINKS_COMMON_PART_FILE_H
#define SINKS_COMMON_PART_FILE_H

#include "core/text/digest.h"

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

/* ---- copying a file -------------------------------------------------------------------------- */

/* Copies the file to one that the sink has created, and computes the hash of what was copied.
 * Warns if the file was changed since sw_log_file().
 *
 * to: NULL: the file is only read. */
int swi_copy_file(struct sw_sink *sink, const struct sw_kept_file *file, FILE *to,
                  struct swi_sha256 *sha, struct sw_error *err);

/* ---- files that are complete ----------------------------------------------------------------- */

/* Writes a file under a temporary name and gives it its own, in place of a file that has it.
 *
 * below: its path in the folder. */
int swi_part_write(struct sw_sink *sink, const char *folder, const char *below, const void *bytes,
                   size_t size, struct sw_error *err);

/* Copies a file of the program in the same way. size: set to its size; may be NULL. */
int swi_part_copy(struct sw_sink *sink, const char *folder, const char *below,
                  const struct sw_kept_file *file, size_t *size, struct sw_error *err);

/* Makes the missing folders above a path, whose text is changed meanwhile. Returns 0 or SW_EIO. */
int swi_parent_folders_make(char *path, struct sw_error *err);

#endif
