/* SPDX-License-Identifier: MIT */
/* files.h - writes the files of a profile: of the whole run, and of each action. */
#ifndef TOOLS_FUNCTIONS_FILES_H
#define TOOLS_FUNCTIONS_FILES_H

#include "sinks/common/functions/profile.h"

#include <jansson.h>

/* Checks that a comma-separated list contains only known formats. */
int files_check(const char *formats, struct sw_error *err);

/* Writes FOLDER/whole.ENDING and FOLDER/ACTION.ENDING in each of these formats, and replaces old
 * ones. Actions without begins have no files. made: an array to which the path of each file is
 * added, or NULL. Returns how many files, or a negative code. */
int files_write(const struct profile *profile, const char *folder, const char *formats,
                json_t *made, struct sw_error *err);

#endif
