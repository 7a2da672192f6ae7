/* SPDX-License-Identifier: MIT */
#include "probes/functions/contexts.h"
#include "probes/functions/nodes.h"
#include "probes/functions/beyond.h"

/* If the place of the call is known. */
static bool is_placed(const struct fn_own *own, const struct fn_call *call)
{
    return call == own->calls || call->region == own->region || call->carried_region == own->region;
}

static struct fn_node *placed(const struct fn_own *own, const struct fn_call *call)
{
    return call == own->calls || call->region == own->region ? call->node : call->carried;
}

struct fn_node *fn_tree_place(struct fn_own *own, struct fn_call *call)
{
    struct fn_call *known = call;
    while (!is_placed(own, known))
        known--;
    struct fn_node *node = placed(own, known);
    while (known++ != call) {
        uintptr_t fn = known->node->fn;
        uint32_t flags = (known->node->flags & FN_CAUGHT) | FN_CARRIED;
        struct fn_node *next = node->flags & FN_BEYOND ? NULL : fn_tree_child(own, node, fn, flags);
        if (!next)
            next = fn_beyond_carried(own, known);
        node = next;
        known->carried = node;
        known->carried_region = own->region;
    }
    return node;
}

/* ---- the thread's calls ---- */

void fn_tree_enter(struct fn_own *own)
{
    own->region = FN_NO_REGION;
    own->calls->node = fn_tree_root(own, FN_NO_REGION);
    own->calls->region = FN_NO_REGION;
    own->top = own->calls;
    own->cur = own->calls->node;
    own->region_since = fn_own_clock(own);
}

void fn_tree_leave(struct fn_own *own)
{
    fn_tree_cut(own, 0);
}

void fn_tree_cut(struct fn_own *own, size_t depth)
{
    while (fn_own_depth(own) > depth) {
        if (own->slow & FN_CAPPED)
            fn_beyond_exit(own, own->top);
        own->top--;
    }
    own->cur = fn_tree_place(own, own->top);
}
