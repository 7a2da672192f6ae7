/* SPDX-License-Identifier: MIT */
/* nodes.h - making and finding the nodes of a thread's trees, one tree for each region. */
#ifndef PROBES_FUNCTIONS_NODES_H
#define PROBES_FUNCTIONS_NODES_H

#include "probes/functions/stack_walk.h"
#include "probes/functions/thread_state.h"

/* Fewer contexts have nodes of their own: for tests. */
void fn_nodes_cap(uint32_t most);

/* Of new memory. */
void fn_tree_init(struct fn_own *own);

/* The root of a region, made at its first use. */
struct fn_node *fn_tree_root(struct fn_own *own, int region);

/* Finds or makes the child of `parent`; returns NULL if the tree is full. flags: 0, FN_CARRIED
 * or FN_CAUGHT. */
struct fn_node *fn_tree_child(struct fn_own *own, struct fn_node *parent, uintptr_t fn,
                              uint32_t flags);
/* The same only if it is there. */
struct fn_node *fn_tree_find(struct fn_own *own, struct fn_node *parent, uintptr_t fn,
                             uint32_t flags);

/* A node of FN_MORE, or NULL. */
struct fn_node *fn_tree_more(struct fn_own *own);

/* Finds the node of a stack. region: the innermost action, or FN_NO_REGION. Only the one who has
 * taken the tree may call it. */
struct fn_node *fn_sampled_node(struct fn_own *own, const struct fn_stack *stack, int region);

/* Counts samples there. */
void fn_sampled_count(struct fn_node *node, int64_t samples);

/* Takes the tree of a sampled thread, which its own handler and the thread that looks at waiting
 * ones write to. Returns false, without waiting, while the other has it. */
static inline bool fn_sampled_take(struct fn_own *own)
{
    return !atomic_exchange(&own->taken, true);
}

static inline void fn_sampled_release(struct fn_own *own)
{
    atomic_store(&own->taken, false);
}

#endif
