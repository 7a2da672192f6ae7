/* SPDX-License-Identifier: MIT */
/* option_path.h - checks options that are paths or parts of paths. */
#ifndef CORE_PLUGINS_OPTION_PATH_H
#define CORE_PLUGINS_OPTION_PATH_H

#include <stepwatch/error.h>

/* Returns the path with a leading ~ replaced by the home folder, or NULL if out of memory. The
 * caller frees it. */
char *swi_option_path_expand(const char *path);

/* These functions return 0, or SW_EINVAL with an err that continues a sentence that begins with the
 * text. */

/* Checks a path that swi_option_path_expand() returned. */
int swi_option_path_check(const char *path, struct sw_error *err);

/* Checks a part of a file name. It may be empty. */
int swi_option_name_check(const char *name, struct sw_error *err);

/* Checks a path that must stay below another one. It may be empty. */
int swi_option_subpath_check(const char *path, struct sw_error *err);

#endif
