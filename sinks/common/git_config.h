/* SPDX-License-Identifier: MIT */
/* git_config.h - reads a value from a file in the format of git-config(1). Files that it includes
 * are not read. */
#ifndef SINKS_COMMON_GIT_CONFIG_H
#define SINKS_COMMON_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the first value of a name in the section [SECTION "SUBSECTION"], as git reads it: without
 * quotes, comments and escapes. section and name are in lower case. Returns false, and sets value
 * to
 * "", if there is none or it does not fit. */
bool swi_git_config_find(const char *path, const char *section, const char *subsection,
                         const char *name, char *value, size_t size);

#endif
