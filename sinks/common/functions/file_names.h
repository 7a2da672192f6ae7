/* SPDX-License-Identifier: MIT */
/* file_names.h - makes a file name from the name of an action. */
#ifndef SINKS_COMMON_FUNCTIONS_FILE_NAMES_H
#define SINKS_COMMON_FUNCTIONS_FILE_NAMES_H

/* Replaces characters that folders or shells do not allow by "_", as Lightning does. Returns a text
 * that the caller frees, or NULL if out of memory. */
char *function_file_name(const char *name);

#endif
