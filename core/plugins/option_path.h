/* SPDX-License-Identifier: MIT */
/* option_path.h - paths and parts of paths among the options. */
#ifndef CORE_PLUGINS_OPTION_PATH_H
#define CORE_PLUGINS_OPTION_PATH_H

#include <stepwatch/error.h>

/* The path, with the home folder for a ~ in front; the caller's to free(). NULL if out of
 * memory. */
char *swi_option_path_expand(const char *path);

/* Each of these: 0, or SW_EINVAL with how a sentence goes on that began with the text. */

/* A path as swi_option_path_expand() made it. */
int swi_option_path_check(const char *path, struct sw_error *err);

/* A part of a file's name; may be empty. */
int swi_option_name_check(const char *name, struct sw_error *err);

/* A path that stays below another one; may be empty. */
int swi_option_subpath_check(const char *path, struct sw_error *err);

#endif
