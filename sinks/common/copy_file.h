/* SPDX-License-Identifier: MIT */
/* copy_file.h - copies a file of sw_log_file(). */
#ifndef SINKS_COMMON_COPY_FILE_H
#define SINKS_COMMON_COPY_FILE_H

#include "core/text/sha256.h"

#include <stepwatch/sink.h>

/* Copies the file to one that the sink has created, and computes the hash of what was copied.
 * Warns if the file was changed since sw_log_file().
 *
 * to: NULL: the file is only read. */
int swi_copy_file(struct sw_sink *sink, const struct sw_kept_file *file, FILE *to,
                  struct swi_sha256 *sha, struct sw_error *err);

#endif
