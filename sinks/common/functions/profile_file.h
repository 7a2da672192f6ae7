/* SPDX-License-Identifier: MIT */
/* profile_file.h - a file as memory, and the profile in it. */
#ifndef SINKS_COMMON_FUNCTIONS_PROFILE_FILE_H
#define SINKS_COMMON_FUNCTIONS_PROFILE_FILE_H

#include "sinks/common/functions/profile.h"

/* Makes a file name from the name of an action. */

/* Replaces characters that folders or shells do not allow by "_", as Lightning does. Returns a text
 * that the caller frees, or NULL if out of memory. */
char *function_file_name(const char *name);

struct profile_file {
    const void *data;
    size_t size;
};

/* Maps a file. Returns 0, or a negative code with a clause. */
int profile_file_open(struct profile_file *file, const char *path, struct sw_error *err);
void profile_file_close(struct profile_file *file);

/* Reads the profile in it, with all names. profile_free() in any case. told: see
 * function_names_find(). */
int profile_file_read(const struct profile_file *file, struct profile *profile,
                      void (*told)(const char *object), struct sw_error *err);

#endif
