/* SPDX-License-Identifier: MIT */
/* pprof.h - the file format of pprof, compressed with gzip. */
#ifndef SINKS_COMMON_FUNCTIONS_PPROF_H
#define SINKS_COMMON_FUNCTIONS_PPROF_H

#include "sinks/common/functions/export_formats.h"

/* Writes a tree. Returns false if out of memory. */
bool export_pprof(FILE *out, const struct tree *tree, const struct exported_run *about);

#endif
