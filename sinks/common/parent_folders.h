/* SPDX-License-Identifier: MIT */
/* parent_folders.h - the folders above a file or folder that a sink makes. */
#ifndef SINKS_COMMON_PARENT_FOLDERS_H
#define SINKS_COMMON_PARENT_FOLDERS_H

#include <stepwatch/error.h>

/* Makes the missing folders above a path, whose text is changed meanwhile. Returns 0 or SW_EIO. */
int swi_parent_folders_make(char *path, struct sw_error *err);

#endif
