/* SPDX-License-Identifier: MIT */
/* Converts contexts to the counts of cProfile: a function's calls are primitive, and its time with
 * callees counts, only if it is not open already. The same applies to each caller and callee. */
#include "sinks/common/functions/merged_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- contexts ---- */

/* Returns 0 if out of memory, which is also the number of the root. */
static size_t context_of(struct tree *tree, size_t parent, size_t function)
{
    const size_t key[2] = {parent, function};
    struct context *context =
        swi_map_item(&tree->places, &tree->context, sizeof *context, key, sizeof key);
    tree->failed |= !context;
    size_t number = context ? (size_t)(context - tree->context) : 0;
    if (context && number == tree->count) {
        *context = (struct context){
            .parent = parent, .function = function, .next = tree->context[parent].child};
        tree->context[parent].child = number;
        tree->count++;
    }
    return number;
}

static const struct found_name *innermost(const struct function_name *name)
{
    return &name->found[name->count - 1];
}

static size_t function_named(struct tree *tree, const struct found_name *name)
{
    size_t number = stats_function(&tree->stats, name->file, name->line, name->function);
    tree->failed |= number == SIZE_MAX;
    return number;
}

static size_t function_of(struct tree *tree, const struct profile *profile, size_t name)
{
    return function_named(tree, innermost(&profile->names[name]));
}

/* With hooks, inlined functions have their own calls. A sample is in all of them. */
static size_t named_context_of(struct tree *tree, const struct profile *profile, size_t at,
                               const struct function_name *name)
{
    bool sampled = profile->times == FN_SAMPLE;
    for (size_t i = sampled ? 0 : name->count - 1; i < name->count && !tree->failed; i++) {
        size_t function = function_named(tree, &name->found[i]);
        at = tree->failed ? 0 : context_of(tree, at, function);
    }
    return at;
}

static bool root_make(struct tree *tree, const struct profile *profile, int action)
{
    char *name = NULL;
    (void)context_of(tree, 0, SIZE_MAX);
    if (tree->failed || action == PROFILE_WHOLE)
        return !tree->failed;
    const char *shown = "no action";
    for (size_t i = 0; i < profile->action_count; i++)
        if (profile->action[i].number == action)
            shown = profile->action[i].name;
    if (asprintf(&name, "<%s>", shown) < 0)
        return false;
    tree->context[0].function = stats_function(&tree->stats, "~", 0, name);
    free(name);
    return tree->context[0].function != SIZE_MAX;
}

static bool is_meant(const struct node *node, int action)
{
    return action == PROFILE_WHOLE || node->region == action;
}

/* Returns the open function that caught an exception and continues. */
static size_t catcher_of(const struct tree *tree, size_t at, const struct found_name *name)
{
    for (size_t i = at; i; i = tree->context[i].parent) {
        const struct function *f = &tree->stats.function[tree->context[i].function];
        if (name->line > 0 && f->line == name->line && strcmp(f->file, name->file) == 0)
            return i;
    }
    return at;
}

/* In an action, a call that was entered elsewhere adds its time and its callees to its caller. */
static void node_merge(struct tree *tree, const struct profile *profile, size_t i, size_t *as,
                       bool whole)
{
    const struct node *node = &profile->node[i];
    size_t at = node->parent == SIZE_MAX ? 0 : as[node->parent];
    if (node->flags & FN_CAUGHT)
        at = catcher_of(tree, at, innermost(&profile->names[node->name]));
    else if (!(node->flags & FN_ROOT) && (whole || !(node->flags & FN_CARRIED)))
        at = named_context_of(tree, profile, at, &profile->names[node->name]);
    as[i] = at;
    if (tree->failed)
        return;
    struct context *context = &tree->context[at];
    context->self += node->self;
    context->below += node->below;
    if (!(node->flags & FN_ROOT) || !whole)
        context->calls += node->calls;
}

/* ---- beyond the tree ---- */

static size_t caller_of(struct tree *tree, const struct profile *profile, const struct node *node,
                        bool whole)
{
    size_t name = whole ? node->caller : node->caller_region;
    return name != SIZE_MAX ? function_of(tree, profile, name) : tree->context[0].function;
}

static struct counts beyond_counts(const struct node *node, bool open)
{
    bool counted = !open && !(node->flags & FN_CARRIED);
    return (struct counts){.nc = node->calls,
                           .cc = counted ? node->calls : 0,
                           .tt = node->self * 1e-9,
                           .ct = counted ? node->total * 1e-9 : 0};
}

static void beyond_add(struct tree *tree, const struct profile *profile, const struct node *node,
                       bool whole)
{
    size_t caller = caller_of(tree, profile, node, whole);
    if (!whole && (node->flags & FN_CARRIED)) {
        tree->stats.function[caller].counts.tt += node->self * 1e-9;
        return;
    }
    size_t function = function_of(tree, profile, node->name);
    if (tree->failed)
        return;
    uint32_t open = whole ? FN_OPEN : FN_OPEN_REGION;
    uint32_t open_edge = whole ? FN_OPEN_EDGE : FN_OPEN_REGION_EDGE;
    struct counts counts = beyond_counts(node, node->flags & open);
    struct counts edge = beyond_counts(node, node->flags & open_edge);
    counts_add(&tree->stats.function[function].counts, &counts);
    struct edge *known = caller == SIZE_MAX ? NULL : stats_edge(&tree->stats, function, caller);
    if (known)
        counts_add(&known->counts, &edge);
    tree->beyond += node->self;
    tree->beyond_of[function] += node->self;
}

static void beyond_make(struct tree *tree, const struct profile *profile, int action)
{
    bool whole = action == PROFILE_WHOLE;
    for (size_t i = 0; i < profile->count && !tree->failed; i++)
        if ((profile->node[i].flags & FN_BEYOND) && is_meant(&profile->node[i], action) &&
            (whole || !(profile->node[i].flags & FN_CARRIED)))
            function_of(tree, profile, profile->node[i].name);
    tree->beyond_of = calloc(tree->stats.count + profile->name_count + 1, sizeof(double));
    tree->failed |= !tree->beyond_of;
    for (size_t i = 0; i < profile->count && !tree->failed; i++) {
        const struct node *node = &profile->node[i];
        if ((node->flags & FN_BEYOND) && is_meant(node, action))
            beyond_add(tree, profile, node, whole);
    }
}

/* ---- counts ---- */

static void totals_make(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        tree->context[i].total = tree->context[i].self + tree->context[i].below;
    for (size_t i = tree->count; i-- > 1;)
        tree->context[tree->context[i].parent].total += tree->context[i].total;
}

static void samples_make(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        tree->context[i].seen = tree->context[i].calls;
        tree->samples += tree->context[i].calls;
    }
    for (size_t i = tree->count; i-- > 1;)
        tree->context[tree->context[i].parent].seen += tree->context[i].seen;
}

/* A sample counts once for each function that is open in it. */
static struct counts counts_of(const struct tree *tree, const struct context *context, bool first)
{
    int64_t calls = tree->sampled ? (first ? context->seen : 0) : context->calls;
    return (struct counts){calls, first ? calls : 0, context->self * 1e-9,
                           first ? context->total * 1e-9 : 0};
}

/* Returns what is counted of a context's function among those of its caller; NULL: it has none. */
static struct edge *edge_of(struct tree *tree, const struct context *context)
{
    size_t caller = tree->context[context->parent].function;
    return caller == SIZE_MAX ? NULL : stats_edge(&tree->stats, context->function, caller);
}

static void count(struct tree *tree, const struct context *context)
{
    struct function *function = &tree->stats.function[context->function];
    struct counts counts = counts_of(tree, context, function->open++ == 0);
    counts_add(&function->counts, &counts);
    struct edge *edge = edge_of(tree, context);
    if (!edge)
        return;
    counts = counts_of(tree, context, edge->open++ == 0);
    counts_add(&edge->counts, &counts);
}

static void leave(struct tree *tree, const struct context *context)
{
    struct edge *edge = edge_of(tree, context);
    tree->stats.function[context->function].open--;
    if (edge)
        edge->open--;
}

/* Walks depth first, without recursion, because the stack may be as deep as the program's. */
static void counts_make(struct tree *tree)
{
    size_t i = tree->context[0].child;
    while (i) {
        count(tree, &tree->context[i]);
        if (tree->context[i].child) {
            i = tree->context[i].child;
            continue;
        }
        leave(tree, &tree->context[i]);
        while (i && !tree->context[i].next) {
            i = tree->context[i].parent;
            if (i)
                leave(tree, &tree->context[i]);
        }
        i = i ? tree->context[i].next : 0;
    }
    tree->failed |= tree->stats.failed;
}

/* Counts {forward}: its begins, and the time outside of calls that were entered in it. */
static void root_count(struct tree *tree, const struct profile *profile, int action)
{
    const struct context *root = &tree->context[0];
    if (root->function == SIZE_MAX)
        return;
    struct counts *counts = &tree->stats.function[root->function].counts;
    counts->tt += root->self * 1e-9;
    counts->ct += root->total * 1e-9;
    if (tree->sampled)
        counts->nc = counts->cc = root->seen;
    for (size_t i = 0; i < profile->action_count && !tree->sampled; i++)
        if (profile->action[i].number == action) {
            counts->nc = profile->action[i].begins;
            counts->cc = profile->action[i].primitive;
        }
}

bool tree_make(struct tree *tree, const struct profile *profile, int action)
{
    bool whole = action == PROFILE_WHOLE;
    *tree = (struct tree){.sampled = profile->times == FN_SAMPLE};
    size_t *as = calloc(profile->count + 1, sizeof *as);
    tree->failed = !as || !root_make(tree, profile, action);
    for (size_t i = 0; i < profile->count && !tree->failed; i++) {
        const struct node *node = &profile->node[i];
        if (!(node->flags & FN_BEYOND) && is_meant(node, action))
            node_merge(tree, profile, i, as, whole);
    }
    if (!tree->failed) {
        totals_make(tree);
        samples_make(tree);
        counts_make(tree);
        root_count(tree, profile, action);
    }
    if (!tree->failed)
        beyond_make(tree, profile, action);
    free(as);
    return !tree->failed;
}

void tree_free(struct tree *tree)
{
    stats_free(&tree->stats);
    free(tree->beyond_of);
    free(tree->context);
    swi_map_free(&tree->places);
    *tree = (struct tree){0};
}

/* ---- stacks ---------------------------------------------------------------------------------- */

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
