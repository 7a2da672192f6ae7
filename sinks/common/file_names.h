/* SPDX-License-Identifier: MIT */
/* file_names.h - what the names of a run's files and folders are made of: an id, the time it began,
 * the names of values. */
#ifndef SINKS_COMMON_FILE_NAMES_H
#define SINKS_COMMON_FILE_NAMES_H

#include "core/text/buffer.h"

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

/* Sets id to 32 hexadecimal digits that no other run has. Returns 0, or SW_EIO if the kernel has no
 * random bytes. */
int swi_random_id(char id[33], struct sw_error *err);

/* Writes the local time at which the run began, with a format of strftime() without %Z. Returns
 * false, with text "", if the start is not a date. Does not read TZ or any other part of the
 * environment. */
bool swi_start_time(const struct sw_run *run, const char *format, char *text, size_t size);

/* Adds the name of a value as a path: each part of at most 100 bytes, without what a file system or
 * a shell would take for more than a letter, and never . or .. . */
void swi_media_path(struct swi_text *text, const char *name);

/* Adds KEY_STEP_SHA20.EXTENSION: the same content under the same name at the same step is one file.
 */
void swi_media_name(struct swi_text *text, const char *name, int64_t step, const char *sha256,
                    const char *extension);

#endif
