/* SPDX-License-Identifier: MIT */
/* merged_tree.h - merges the contexts of all threads into one tree: of the whole profile, or of one
 * action. */
#ifndef SINKS_COMMON_FUNCTIONS_MERGED_TREE_H
#define SINKS_COMMON_FUNCTIONS_MERGED_TREE_H

#include "sinks/common/functions/profile.h"
#include "sinks/common/functions/stats.h"

/* Context 0 is the root. Callers come before their callees. */
struct context {
    size_t parent;
    size_t function;    /* in `stats`; SIZE_MAX: the root of the whole */
    size_t child, next; /* first child, next sibling; 0: none */
    int64_t calls;
    int64_t seen;              /* samples in it and its callees */
    double self, total, below; /* ns; below: of contexts beyond the tree, included in total */
};

struct tree {
    struct swi_map places;
    struct context *context; /* by the number of the place */
    size_t count;
    struct stats stats;
    bool sampled;      /* calls are samples */
    int64_t samples;   /* the total */
    double beyond;     /* ns: self time of contexts that are in no tree */
    double *beyond_of; /* the same for each function */
    bool failed;
};

/* Makes the tree of an action, of PROFILE_NO_ACTION or of PROFILE_WHOLE, and its stats. The profile
 * must have its names. Returns false if out of memory. Call tree_free() in any case. */
bool tree_make(struct tree *tree, const struct profile *profile, int action);
void tree_free(struct tree *tree);

/* ---- stacks ---------------------------------------------------------------------------------- */

/* A tree as stacks with self times, as needed by flame graphs and other viewers.
 *
 * A file of stacks grows with the square of the depth, so deeper calls count in the last one. */
enum { STACKS_DEPTH = 512 };

/* Used instead of a function: contexts beyond the tree. */
#define STACKS_MORE SIZE_MAX

/* Calls take() with each stack with a self time of at least 1 ns, outermost function first. calls:
 * of the innermost function. Returns false if out of memory. */
typedef void stack_fn(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls);
bool stacks_each(const struct tree *tree, stack_fn *take, void *arg);

/* Returns the name of a function in such a file: without a source file, the name without < and
 * >; {forward} for the root of an action; or "(more contexts)". size: its length. It is not
 * terminated. */
const char *stacks_name(const struct tree *tree, size_t function, size_t *size);

#endif
