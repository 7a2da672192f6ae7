/* SPDX-License-Identifier: MIT */
/* exporting.h - exports the timeline of run logs: one file of all of them, or one of each; or
 * prints it as a tree of regions. */
#ifndef TOOLS_EXPORT_EXPORTING_H
#define TOOLS_EXPORT_EXPORTING_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The formats that export_logs() knows: "chrome, perfetto, ...". */
#define EXPORT_FORMATS "chrome, perfetto, xplane, torch, folded, speedscope"

bool export_format_is_known(const char *format);

struct export_task {
    char **path; /* of the logs */
    size_t count;
    const char *format;
    const char *output; /* a file, a folder, "-", or NULL */
    bool some;          /* only these training steps */
    int64_t first, last;
    json_t *files; /* an array to which the name of each file is added, or NULL */
};

/* Prints to stderr what it wrote, unless there is an array for it, and what the logs lack. Returns
 * 0 or a negative code. */
int export_logs(const struct export_task *task, struct sw_error *err);

/* Prints the tree of each thread: total, self, calls, percent of the parent. Returns 0 or a
 * negative code. */
int tree_print(const char *path, struct sw_error *err);

#endif
