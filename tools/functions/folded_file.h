/* SPDX-License-Identifier: MIT */
/* folded_file.h - folded stacks, in nanoseconds. */
#ifndef TOOLS_FUNCTIONS_FOLDED_FILE_H
#define TOOLS_FUNCTIONS_FOLDED_FILE_H

#include "tools/functions/export.h"

/* Writes a tree; false without memory. */
bool export_folded(FILE *out, const struct tree *tree, const struct export *about);

#endif
