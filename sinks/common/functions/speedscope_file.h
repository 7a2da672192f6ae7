/* SPDX-License-Identifier: MIT */
/* speedscope_file.h - the file format of speedscope.app. */
#ifndef SINKS_COMMON_FUNCTIONS_SPEEDSCOPE_FILE_H
#define SINKS_COMMON_FUNCTIONS_SPEEDSCOPE_FILE_H

#include "sinks/common/functions/exported_run.h"

/* Writes a tree. Returns false if out of memory. */
bool export_speedscope(FILE *out, const struct tree *tree, const struct exported_run *about);

#endif
