/* SPDX-License-Identifier: MIT */
/* option_path.h - checks options that are parts of paths. */
#ifndef CORE_PLUGINS_OPTION_PATH_H
#define CORE_PLUGINS_OPTION_PATH_H

#include <stepwatch/error.h>

/* These functions return 0, or SW_EINVAL with an err that continues a sentence that begins with the
 * text. */

/* Checks a part of a file name. It may be empty. */
int swi_option_name_check(const char *name, struct sw_error *err);

/* Checks a path that must stay below another one. It may be empty. */
int swi_option_subpath_check(const char *path, struct sw_error *err);

#endif
