/* SPDX-License-Identifier: MIT */
#include "probes/functions/sampled_stacks.h"
#include "probes/functions/action_names.h"
#include "probes/functions/nodes.h"
#include "probes/functions/store.h"

/* Return addresses; the interrupted place is stored as if it were one. */
static uintptr_t address_of(const struct fn_stack *stack, int i)
{
    return i ? stack->pc[i] : stack->pc[0] + 1;
}

/* The caller counts what does not fit. */
static struct fn_node *node_of(struct fn_own *own, const struct fn_stack *stack)
{
    struct fn_node *node = fn_tree_root(own, own->region);
    struct fn_node *next = stack->deeper ? fn_tree_child(own, node, FN_DEEPER, 0) : node;
    for (int i = stack->count; i-- > 0 && next;) {
        node = next;
        next = fn_tree_child(own, node, address_of(stack, i), 0);
    }
    return next ? next : node;
}

struct fn_node *fn_sampled_node(struct fn_own *own, const struct fn_stack *stack, int region)
{
    if (region >= 0 && !own->roots[region + 1])
        fn_action_name_keep(region);
    own->region = region;
    return node_of(own, stack);
}

void fn_sampled_count(struct fn_node *node, int64_t samples)
{
    if (node->flags & FN_ROOT)
        atomic_fetch_add(&fn_file->lost, (uint64_t)samples);
    node->calls += (uint64_t)samples;
    node->self += samples;
}
