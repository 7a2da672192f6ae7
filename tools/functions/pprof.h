/* SPDX-License-Identifier: MIT */
/* pprof.h - the file format of pprof, compressed with gzip. */
#ifndef TOOLS_FUNCTIONS_PPROF_H
#define TOOLS_FUNCTIONS_PPROF_H

#include "tools/functions/export.h"

/* Writes a tree. Returns false if out of memory. */
bool export_pprof(FILE *out, const struct tree *tree, const struct export *about);

#endif
