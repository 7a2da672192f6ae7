/* SPDX-License-Identifier: MIT */
/* files.h - writing the files of a profile: of the whole run, and of each action. */
#ifndef TOOLS_FUNCTIONS_FILES_H
#define TOOLS_FUNCTIONS_FILES_H

#include "tools/functions/profile.h"

/* Whether a list of names, with commas, has only formats that there are. */
int files_check(const char *formats, struct sw_error *err);

/* Writes FOLDER/whole.ENDING and FOLDER/ACTION.ENDING in each of these formats. Old ones are
 * replaced. Actions without begins have no files. Returns how many files, or a negative code. */
int files_write(const struct profile *profile, const char *folder, const char *formats,
                struct sw_error *err);

/* A name as that of a file: what folders and shells do not take becomes "_". The caller's to free;
 * NULL without memory. */
char *files_name(const char *name);

#endif
