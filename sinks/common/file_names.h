/* SPDX-License-Identifier: MIT */
/* file_names.h - what the names of a run's files and folders are made of: an id, the time it began,
 * the names of values; and names as UTF-8, of which no two are the same. */
#ifndef SINKS_COMMON_FILE_NAMES_H
#define SINKS_COMMON_FILE_NAMES_H

#include "core/text/buffer.h"
#include "core/text/map.h"

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

/* ---- names of which no two are the same ------------------------------------------------------ */

/* Further odd names may share a clean one. */
enum { SWI_ODD_NAMES_MOST = 4096 };

/* Initialise it as {0}. */
struct swi_clean_names {
    struct swi_map odd; /* names that are not UTF-8, or look like what becomes of one */
    const char **clean; /* by the number of the odd name */
    struct swi_map taken;
};

/* Returns a name with \xNN in place of each byte that is not UTF-8. If another name has become the
 * same, it gets the suffix _2, _3 and so on. Borrowed until `names` is freed, or `name` itself. */
const char *swi_clean_name(struct swi_clean_names *names, const char *name);

void swi_clean_names_free(struct swi_clean_names *names);

#endif
