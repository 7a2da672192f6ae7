/* SPDX-License-Identifier: MIT */
/* path_text.h - paths as people write them in configurations and in environment variables. */
#ifndef CORE_TEXT_PATH_TEXT_H
#define CORE_TEXT_PATH_TEXT_H

#include <stepwatch/error.h>

#include <stddef.h>

/* Returns the path with a leading ~ replaced by the folder `home`, or NULL if out of memory. The
 * caller frees it. home: the value of HOME, or NULL. If it is not an absolute path, the ~ stays and
 * swi_path_text_check() refuses it. */
char *swi_path_text_expand(const char *path, const char *home);

/* Returns an absolute path as it is, and any other one below a folder; NULL if out of memory. The
 * caller frees it. */
char *swi_path_text_below(const char *folder, const char *path);

/* Checks a path that swi_path_text_expand() returned. Returns 0, or SW_EINVAL with an err that
 * continues a sentence that begins with the text. */
int swi_path_text_check(const char *path, struct sw_error *err);

/* Expands and checks the path in an environment variable. Returns 0, or SW_EINVAL and err names the
 * variable. */
int swi_path_text_of(const char *variable, const char *value, const char *home, char *path,
                     size_t size, struct sw_error *err);

#endif
