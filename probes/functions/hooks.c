/* SPDX-License-Identifier: MIT */
/* The hooks that the compiler makes every function call. The usual case calls no function; rare
 * cases jump to separate functions. */
#include "probes/functions/hooks.h"
#include "probes/functions/beyond.h"
#include "probes/functions/nodes.h"
#include "probes/functions/threads.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/contexts.h"

#define FN_PUBLIC __attribute__((visibility("default"), no_instrument_function))

/* ---- entry ---- */

static FN_INLINE void call_begin(struct fn_own *own, struct fn_node *node, void *site,
                                 uintptr_t stack)
{
    struct fn_call *call = own->top + 1;
    node->calls++;
    call->node = node;
    call->stack = stack;
    call->site = site;
    call->region = own->region;
    call->carried_region = FN_NOT_CARRIED;
    atomic_signal_fence(memory_order_release);
    own->top = call;
    atomic_store_explicit(&own->cur, node, memory_order_relaxed);
}

/* Handles a context that is new or was not the last one here. A signal handler that runs meanwhile
 * is not counted. */
static FN_APART void enter_new(struct fn_own *own, uintptr_t fn, void *site, uintptr_t stack)
{
    fn_own_slow(own, FN_BUSY);
    struct fn_node *cur = own->cur;
    struct fn_node *node = cur->flags & FN_BEYOND ? NULL : fn_tree_child(own, cur, fn, 0);
    if (node) {
        cur->last = node;
        own->cache[fn_tree_hash(cur, fn) % FN_CACHE] = node;
        call_begin(own, node, site, stack);
    } else {
        fn_beyond_begin(own);
        fn_beyond_enter(own, fn, site, stack);
    }
    fn_start_look();
    fn_own_no_longer(own, FN_BUSY);
}

static FN_APART void enter_slow(struct fn_own *own, uintptr_t fn, void *site, uintptr_t stack)
{
    if (own == &fn_nobody || fn_own_is_copy(own)) {
        if (!fn_own_is_copy(own) && fn_own_join())
            __cyg_profile_func_enter((void *)fn, site);
        return;
    }
    if (own->slow & (FN_BUSY | FN_OUT)) {
        if (!(own->slow & FN_STOPPED))
            atomic_fetch_add(&fn_file->lost, 1);
        return;
    }
    if (own->clock)
        fn_own_slice(own, fn_now());
    if (own->top == own->limit)
        atomic_fetch_add(&fn_file->lost, 1);
    else if (own->slow & FN_CAPPED)
        fn_beyond_enter(own, fn, site, stack);
    else
        enter_new(own, fn, site, stack);
}

FN_PUBLIC void __cyg_profile_func_enter(void *fn, void *site)
{
    struct fn_own *own = fn_self;
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    if (FN_UNLIKELY(!own->fast || own->top == own->limit)) {
        enter_slow(own, (uintptr_t)fn, site, stack);
        return;
    }
    struct fn_node *cur = atomic_load_explicit(&own->cur, memory_order_relaxed);
    struct fn_node *node = cur->last;
    if (own->clock)
        fn_own_slice(own, fn_now());
    if (FN_UNLIKELY(node->fn != (uintptr_t)fn)) {
        node = own->cache[fn_tree_hash(cur, (uintptr_t)fn) % FN_CACHE];
        if (FN_UNLIKELY(node->fn != (uintptr_t)fn || node->parent != cur)) {
            enter_new(own, (uintptr_t)fn, site, stack);
            return;
        }
        cur->last = node;
    }
    call_begin(own, node, site, stack);
}

/* ---- exit ---- */

static FN_INLINE void call_end(struct fn_own *own, struct fn_call *call)
{
    own->top = call - 1;
    atomic_store_explicit(&own->cur, call[-1].node, memory_order_relaxed);
}

/* Returns the depth of the innermost open call of this function, or the depth that means none. */
static size_t depth_of(const struct fn_own *own, uintptr_t fn)
{
    size_t depth = fn_own_depth(own);
    while (depth && own->calls[depth].node->fn != fn)
        depth--;
    return depth;
}

/* Returns whether an exception left the calls that are still open above. Then they are not a
 * mistake. */
static bool is_caught_above(const struct fn_own *own, size_t depth)
{
    for (size_t i = fn_own_depth(own); i > depth; i--)
        if (own->calls[i].node->flags & FN_CAUGHT)
            return true;
    return false;
}

static FN_APART void exit_slow(struct fn_own *own, uintptr_t fn)
{
    if (own == &fn_nobody || fn_own_is_copy(own) || (own->slow & (FN_BUSY | FN_OUT)))
        return;
    if (own->clock)
        fn_own_slice(own, fn_now());
    size_t depth = depth_of(own, fn);
    if (!depth || (depth != fn_own_depth(own) && !is_caught_above(own, depth)))
        atomic_fetch_add(&fn_file->unmatched, 1);
    if (depth)
        fn_tree_cut(own, depth - 1);
}

/* The caller was entered in another region. */
static FN_APART void exit_carried(struct fn_own *own)
{
    fn_own_slow(own, FN_BUSY);
    own->cur = fn_tree_place(own, own->top);
    fn_own_no_longer(own, FN_BUSY);
}

FN_PUBLIC void __cyg_profile_func_exit(void *fn, void *site)
{
    struct fn_own *own = fn_self;
    (void)site;
    struct fn_call *call = own->top;
    if (FN_UNLIKELY(!own->fast || call->node->fn != (uintptr_t)fn)) {
        exit_slow(own, (uintptr_t)fn);
        return;
    }
    if (own->clock)
        fn_own_slice(own, fn_now());
    call_end(own, call);
    if (FN_UNLIKELY(call[-1].region != own->region))
        exit_carried(own);
}
