/* SPDX-License-Identifier: MIT */
/* stacks.h - a tree as stacks with their own times, as flame graphs and other viewers want them. */
#ifndef TOOLS_FUNCTIONS_STACKS_H
#define TOOLS_FUNCTIONS_STACKS_H

#include "tools/functions/merged_tree.h"

/* A file of stacks would be as long as the square of the depth: deeper calls count in the last. */
enum { STACKS_DEPTH = 512 };

/* Not a function: contexts beyond the tree. */
#define STACKS_MORE SIZE_MAX

/* Calls take() with each stack, outermost first, whose own time is at least 1 ns. calls: of the
 * innermost function. False without memory. */
typedef void stack_fn(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls);
bool stacks_each(const struct tree *tree, stack_fn *take, void *arg);

/* The name in such a file: without a source file, that without < and >; {forward} for the root of
 * an action; "(more contexts)". size: of the name. Not terminated. */
const char *stacks_name(const struct tree *tree, size_t function, size_t *size);

#endif
