/* SPDX-License-Identifier: MIT */
/* part_file.h - files of a folder that only one sink of one process writes to: each is complete, or
 * has another name, which begins with .part-. Core does not lock files of such names. */
#ifndef SINKS_COMMON_PART_FILE_H
#define SINKS_COMMON_PART_FILE_H

#include "core/text/sha256.h"

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

#include <limits.h>

/* ---- copying a file -------------------------------------------------------------------------- */

/* Copies the file to one that the sink has created, and computes the hash of what was copied.
 * Warns if the file was changed since sw_log_file().
 *
 * to: NULL: the file is only read. */
int swi_copy_file(struct sw_sink *sink, const struct sw_kept_file *file, FILE *to,
                  struct swi_sha256 *sha, struct sw_error *err);

/* ---- files that are complete ----------------------------------------------------------------- */

/* A file that is being written, under a temporary name beside its own. */
struct swi_part {
    struct sw_sink *sink;
    const char *folder; /* borrowed */
    FILE *file;
    char path[PATH_MAX + 1024];
};

/* Begins a file. below: the path in the folder that it will have. number: another one for each part
 * that exists at the same time. */
int swi_part_begin(struct swi_part *part, struct sw_sink *sink, const char *folder,
                   const char *below, unsigned number, struct sw_error *err);

/* Ends a file after it was written, and gives it its name, in place of a file that has it. rc: of
 * the writing; if it is negative, the part is removed and rc is returned. */
int swi_part_close(struct swi_part *part, const char *below, int rc, struct sw_error *err);

/* Makes the missing folders above a path, whose text is changed meanwhile. Returns 0 or SW_EIO. */
int swi_parent_folders_make(char *path, struct sw_error *err);

#endif
