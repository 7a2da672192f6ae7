/* SPDX-License-Identifier: MIT */
/* speedscope_file.h - the file format of speedscope.app. */
#ifndef SINKS_COMMON_FUNCTIONS_SPEEDSCOPE_FILE_H
#define SINKS_COMMON_FUNCTIONS_SPEEDSCOPE_FILE_H

#include "sinks/common/functions/export.h"

/* Writes a tree. Returns false if out of memory. */
bool export_speedscope(FILE *out, const struct tree *tree, const struct export *about);

#endif
