/* SPDX-License-Identifier: MIT */
/* folded_file.h - writes folded stacks, in nanoseconds. */
#ifndef SINKS_COMMON_FUNCTIONS_FOLDED_FILE_H
#define SINKS_COMMON_FUNCTIONS_FOLDED_FILE_H

#include "sinks/common/functions/exported_run.h"

/* Writes a tree. Returns false if out of memory. */
bool export_folded(FILE *out, const struct tree *tree, const struct exported_run *about);

#endif
