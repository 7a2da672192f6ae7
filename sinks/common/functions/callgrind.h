/* SPDX-License-Identifier: MIT */
/* callgrind.h - the file format of callgrind. */
#ifndef SINKS_COMMON_FUNCTIONS_CALLGRIND_H
#define SINKS_COMMON_FUNCTIONS_CALLGRIND_H

#include "sinks/common/functions/exported_run.h"

/* Writes a tree. Returns false if out of memory. */
bool export_callgrind(FILE *out, const struct tree *tree, const struct exported_run *about);

#endif
