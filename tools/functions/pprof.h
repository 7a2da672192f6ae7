/* SPDX-License-Identifier: MIT */
/* pprof.h - the file format of pprof, compressed as gzip does it. */
#ifndef TOOLS_FUNCTIONS_PPROF_H
#define TOOLS_FUNCTIONS_PPROF_H

#include "tools/functions/export.h"

/* Writes a tree; false without memory. */
bool export_pprof(FILE *out, const struct tree *tree, const struct export *about);

#endif
