/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/merged_tree.h"

#include <stdlib.h>
#include <string.h>

struct weights {
    double *ns;
    uint32_t *depth;
};

/* Calls that are too deep count in the last allowed one. */
static bool weights_make(const struct tree *tree, struct weights *weights)
{
    weights->ns = calloc(tree->count, sizeof *weights->ns);
    weights->depth = calloc(tree->count, sizeof *weights->depth);
    if (!weights->ns || !weights->depth)
        return false;
    weights->depth[0] = tree->context[0].function != SIZE_MAX;
    for (size_t i = 1; i < tree->count; i++)
        weights->depth[i] = weights->depth[tree->context[i].parent] + 1;
    for (size_t i = tree->count; i-- > 0;) {
        weights->ns[i] += tree->context[i].self;
        if (weights->depth[i] > STACKS_DEPTH) {
            weights->ns[tree->context[i].parent] += weights->ns[i];
            weights->ns[i] = 0;
        }
    }
    return true;
}

static size_t stack_of(const struct tree *tree, size_t i, uint32_t depth, size_t *stack)
{
    for (uint32_t at = depth; at-- > 0; i = tree->context[i].parent)
        stack[at] = tree->context[i].function;
    return depth;
}

/* Contexts beyond the tree are known only by function, and their time only by the place where they
 * begin. So each place gets its share. */
static void beyond_each(const struct tree *tree, const struct weights *weights, stack_fn *take,
                        void *arg)
{
    size_t stack[STACKS_DEPTH + 2];
    double below = 0;
    for (size_t i = 0; i < tree->count; i++)
        below += tree->context[i].below;
    for (size_t i = 0; i < tree->count && below > 0 && tree->beyond > 0; i++) {
        if (tree->context[i].below <= 0)
            continue;
        size_t at = i;
        while (weights->depth[at] > STACKS_DEPTH)
            at = tree->context[at].parent;
        size_t depth = stack_of(tree, at, weights->depth[at], stack);
        stack[depth] = STACKS_MORE;
        for (size_t f = 0; f < tree->stats.count; f++) {
            double ns = tree->beyond_of[f] * tree->context[i].below / below;
            stack[depth + 1] = f;
            if (ns >= 1)
                take(arg, stack, depth + 2, (int64_t)ns, 0);
        }
    }
}

bool stacks_each(const struct tree *tree, stack_fn *take, void *arg)
{
    struct weights weights = {0};
    size_t stack[STACKS_DEPTH];
    bool fine = weights_make(tree, &weights);
    for (size_t i = 0; fine && i < tree->count; i++) {
        size_t depth = weights.depth[i];
        int64_t ns = (int64_t)(weights.ns[i] + 0.5);
        if (depth && depth <= STACKS_DEPTH && ns >= 1)
            take(arg, stack, stack_of(tree, i, (uint32_t)depth, stack), ns, tree->context[i].calls);
    }
    if (fine)
        beyond_each(tree, &weights, take, arg);
    free(weights.ns);
    free(weights.depth);
    return fine;
}

const char *stacks_name(const struct tree *tree, size_t function, size_t *size)
{
    static const char more[] = "(more contexts)";
    if (function == STACKS_MORE) {
        *size = sizeof more - 1;
        return more;
    }
    const struct function *f = &tree->stats.function[function];
    *size = strlen(f->name);
    bool bare = strcmp(f->file, "~") == 0 && f->line == 0 && *size > 2 && f->name[0] == '<' &&
                f->name[*size - 1] == '>';
    if (bare)
        *size -= 2;
    return f->name + bare;
}
