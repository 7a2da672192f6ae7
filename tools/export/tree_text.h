/* SPDX-License-Identifier: MIT */
/* tree_text.h - prints the tree of regions of a run log as text. */
#ifndef TOOLS_EXPORT_TREE_TEXT_H
#define TOOLS_EXPORT_TREE_TEXT_H

#include <stepwatch/error.h>

/* Prints the tree of each thread: total, self, calls, percent of the parent. Returns 0 or a
 * negative code. */
int tree_print(const char *path, struct sw_error *err);

#endif
