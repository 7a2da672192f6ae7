/* SPDX-License-Identifier: MIT */
#include "probes/functions/call_context.h"
#include "probes/functions/nodes.h"
#include "probes/functions/full_tree.h"

static bool is_entered_here(const struct fn_own *own, const struct fn_call *call)
{
    return call == own->calls || call->node->region == own->region;
}

/* If the place of the call is known. */
static bool is_placed(const struct fn_own *own, const struct fn_call *call)
{
    return is_entered_here(own, call) || call->place->region == own->region;
}

static struct fn_node *place_of(struct fn_own *own, struct fn_call *call)
{
    struct fn_call *known = call;
    while (!is_placed(own, known))
        known--;
    struct fn_node *node = is_entered_here(own, known) ? known->node : known->place;
    while (known++ != call) {
        uintptr_t fn = known->node->fn;
        uint32_t flags = (known->node->flags & FN_CAUGHT) | FN_CARRIED;
        struct fn_node *next = node->flags & FN_BEYOND ? NULL : fn_tree_child(own, node, fn, flags);
        if (!next)
            next = fn_full_tree_carried(own, known);
        node = next;
        known->place = node;
    }
    return node;
}

void fn_tree_replace(struct fn_own *own)
{
    for (struct fn_call *call = own->floor + 1; call <= own->top; call++)
        call->place = call->node;
    own->floor = own->top;
    own->top->place = place_of(own, own->top);
    fn_own_at(own, own->top->place, own->top->place->first);
}

/* ---- the thread's calls ---- */

void fn_tree_enter(struct fn_own *own)
{
    own->region = FN_NO_REGION;
    own->calls->node = own->calls->place = fn_tree_root(own, FN_NO_REGION);
    own->top = own->floor = own->calls;
    own->left = own->nodes;
    fn_own_at(own, own->calls->node, own->calls->node->first);
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
            fn_full_tree_exit(own, own->top);
        own->top--;
    }
    if (own->top <= own->floor)
        fn_tree_replace(own);
    else
        fn_own_at(own, own->top->node, own->top->node->first);
}
