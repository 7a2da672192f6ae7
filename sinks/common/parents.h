/* SPDX-License-Identifier: MIT */
/* parents.h - the folders above a file or folder that a sink makes. */
#ifndef SINKS_COMMON_PARENTS_H
#define SINKS_COMMON_PARENTS_H

#include <stepwatch/error.h>

/* Makes the missing folders above a path, whose text is changed meanwhile. Returns 0 or SW_EIO. */
int swi_parents_make(char *path, struct sw_error *err);

#endif
