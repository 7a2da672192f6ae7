/* SPDX-License-Identifier: MIT */
/* sampled_stacks.h - counts samples in a thread's tree. */
#ifndef PROBES_FUNCTIONS_SAMPLED_STACKS_H
#define PROBES_FUNCTIONS_SAMPLED_STACKS_H

#include "probes/functions/thread_state.h"
#include "probes/functions/stack_walk.h"

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
