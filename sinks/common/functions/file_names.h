/* SPDX-License-Identifier: MIT */
/* file_names.h - a name of an action as that of a file. */
#ifndef SINKS_COMMON_FUNCTIONS_FILE_NAMES_H
#define SINKS_COMMON_FUNCTIONS_FILE_NAMES_H

/* As Lightning names its files: characters that folders or shells do not allow become "_". The
 * caller's to free; NULL without memory. */
char *function_file_name(const char *name);

#endif
