/* SPDX-License-Identifier: MIT */
/* export_formats.h - the file formats of other programs that show where functions take time. */
#ifndef SINKS_COMMON_FUNCTIONS_EXPORT_FORMATS_H
#define SINKS_COMMON_FUNCTIONS_EXPORT_FORMATS_H

#include "sinks/common/functions/merged_tree.h"

#include <stdio.h>

/* What all exported files need to know about a run. */
struct exported_run {
    const char *name; /* name of the profile: whole, or an action */
    const char *program;
    bool samples; /* calls are samples */
};

/* One file format. write() returns false if out of memory. */
struct export_format {
    const char *name;
    const char *ending;
    bool (*write)(FILE *out, const struct tree *tree, const struct exported_run *about);
};

/* prof, folded, speedscope, callgrind, pprof; terminated by a NULL name. */
extern const struct export_format export_formats[];

/* Returns the format with this name, or NULL. */
const struct export_format *export_format_find(const char *name);

/* Writes a tree in the file format of pprof, compressed with gzip. Returns false if out of memory.
 */
bool export_pprof(FILE *out, const struct tree *tree, const struct exported_run *about);

#endif
