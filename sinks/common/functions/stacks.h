/* SPDX-License-Identifier: MIT */
/* stacks.h - converts a tree to stacks with self times, as needed by flame graphs and other
 * viewers. */
#ifndef SINKS_COMMON_FUNCTIONS_STACKS_H
#define SINKS_COMMON_FUNCTIONS_STACKS_H

#include "sinks/common/functions/merged_tree.h"

/* A file of stacks grows with the square of the depth, so deeper calls count in the last one. */
enum { STACKS_DEPTH = 512 };

/* Used instead of a function: contexts beyond the tree. */
#define STACKS_MORE SIZE_MAX

/* Calls take() with each stack with a self time of at least 1 ns, outermost function first. calls:
 * of the innermost function. Returns false if out of memory. */
typedef void stack_fn(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls);
bool stacks_each(const struct tree *tree, stack_fn *take, void *arg);

/* Returns the name of a function in such a file: if there is no source file, the name without < and
 * >; {forward} for the root of an action; or "(more contexts)". size: its length. It is not
 * terminated. */
const char *stacks_name(const struct tree *tree, size_t function, size_t *size);

#endif
