/* SPDX-License-Identifier: MIT */
/* The hooks that the compiler makes every function call. The usual case calls no function; rare
 * cases jump to separate functions. */
#include "probes/functions/call_context.h"
#include "probes/functions/full_tree.h"
#include "probes/functions/held_signals.h"
#include "probes/functions/nodes.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/threads.h"

#define FN_PUBLIC __attribute__((visibility("default"), no_instrument_function))

/* ---- entry ---- */

/* Raises the top first, so that the calls of a signal handler go above this one. */
static FN_INLINE void call_push(struct fn_own *own, struct fn_node *node, uintptr_t stack)
{
    struct fn_call *call = atomic_load_explicit(&own->top, memory_order_relaxed) + 1;
    node->calls++;
    atomic_store_explicit(&own->top, call, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    call->node = node;
    call->stack = stack;
    atomic_signal_fence(memory_order_release);
}

static FN_INLINE void call_begin(struct fn_own *own, struct fn_node *node, uintptr_t stack)
{
    call_push(own, node, stack);
    fn_own_at(own, node, node->first);
}

/* Most functions call others in the same order each time: this one is expected at this place from
 * now on. */
static FN_INLINE void child_learn(struct fn_own *own, struct fn_node *cur, struct fn_node *child)
{
    if (own->left->parent == cur)
        own->left->after = child;
    else
        cur->first = child;
}

/* Handles a context that is not where a child is looked for first. */
static void enter_known(struct fn_own *own, struct fn_node *node, uintptr_t stack)
{
    child_learn(own, node->parent, node);
    own->cache[fn_cache_place(node->parent, node->fn)] = node;
    call_begin(own, node, stack);
}

/* Handles a context that may be new. */
static FN_NOINLINE void enter_new(struct fn_own *own, uintptr_t fn, uintptr_t stack)
{
    uint64_t signals = fn_signals_hold();
    fn_own_slow(own, FN_BUSY);
    struct fn_node *cur = own->cur;
    struct fn_node *node = cur->flags & FN_BEYOND ? NULL : fn_tree_child(own, cur, fn, 0);
    if (node) {
        enter_known(own, node, stack);
    } else {
        fn_full_tree_begin(own);
        fn_full_tree_enter(own, fn, stack);
    }
    fn_start_look();
    fn_own_no_longer(own, FN_BUSY);
    fn_signals_set(signals);
}

/* No call is deeper than its node, so only the way to a new node needs to look at the limit. */
static FN_NOINLINE void enter_uncached(struct fn_own *own, uintptr_t fn, uintptr_t stack)
{
    struct fn_node *node = NULL;
    if (own->top == own->limit)
        atomic_fetch_add(&fn_file->lost, 1);
    else if (own->slow & FN_CAPPED)
        fn_full_tree_enter(own, fn, stack);
    else if ((node = fn_tree_find(own, own->cur, fn, 0)))
        enter_known(own, node, stack);
    else
        enter_new(own, fn, stack);
}

static FN_NOINLINE void enter_slow(uintptr_t fn, uintptr_t stack)
{
    struct fn_own *own = fn_self;
    if (own == &fn_nobody && fn_own_join())
        own = fn_self;
    if (own == &fn_nobody && fn_own_is_missing())
        atomic_fetch_add(&fn_file->lost, 1);
    if (!fn_own_counts(own))
        return;
    if (own->slow & (FN_BUSY | FN_OUT)) {
        if (!(own->slow & FN_STOPPED))
            atomic_fetch_add(&fn_file->lost, 1);
        return;
    }
    if (own->clock)
        fn_own_slice(own, fn_now());
    enter_uncached(own, fn, stack);
}

static FN_NOINLINE void enter_unexpected(struct fn_own *own, uintptr_t fn, uintptr_t stack)
{
    struct fn_node *cur = own->cur, *node = own->cache[fn_cache_place(cur, fn)];
    if (FN_UNLIKELY(!fn_node_is(node, fn) || node->parent != cur)) {
        enter_uncached(own, fn, stack);
        return;
    }
    child_learn(own, cur, node);
    call_begin(own, node, stack);
}

/* Reading the counter waits until all that was begun before is done, so what counts is how many
 * addresses a hook must follow one after the other. Therefore the expected child is at hand.
 */
static FN_INLINE void enter_clock(struct fn_own *own, uintptr_t fn, uintptr_t stack)
{
    struct fn_node *next = atomic_load_explicit(&own->next, memory_order_relaxed);
    struct fn_node *cur = atomic_load_explicit(&own->cur, memory_order_relaxed);
    fn_own_slice_of(own, cur, fn_now());
    if (FN_LIKELY(fn_node_is(next, fn) && next->parent == cur))
        call_begin(own, next, stack);
    else
        enter_unexpected(own, fn, stack);
}

/* The place in `recent` of the context that this function had when it was called last from this
 * site with this stack pointer. */
static FN_INLINE struct fn_node **recent_of(struct fn_own *own, uintptr_t fn, uintptr_t site,
                                            uintptr_t stack)
{
    uint32_t mixed = ((uint32_t)fn + (uint32_t)site + (uint32_t)stack) * UINT32_C(2654435761);
    return &own->recent[mixed >> (32 - FN_RECENT_BITS)];
}

static FN_INLINE void count_begin(struct fn_own *own, struct fn_node *node, uintptr_t stack)
{
    call_push(own, node, stack);
    atomic_store_explicit(&own->cur, node, memory_order_relaxed);
}

static __attribute__((noinline)) void enter_elsewhere(struct fn_own *own, uintptr_t fn,
                                                      uintptr_t stack, struct fn_node **recent)
{
    struct fn_node *cur = own->cur, *node = own->cache[fn_cache_place(cur, fn)];
    if (FN_UNLIKELY(!fn_node_is(node, fn) || node->parent != cur)) {
        enter_uncached(own, fn, stack);
        return;
    }
    *recent = node;
    count_begin(own, node, stack);
}

/* Without the counter, calls overlap, unless one needs an address that the one before has found. So
 * the context is looked up by what is known at once: the function, its caller and the stack
 * pointer. The comparison with the thread's place delays nothing, because processors predict its
 * result. */
static FN_INLINE void enter_count(struct fn_own *own, uintptr_t fn, uintptr_t site, uintptr_t stack)
{
    struct fn_node **recent = recent_of(own, fn, site, stack), *node = *recent;
    struct fn_node *cur = atomic_load_explicit(&own->cur, memory_order_relaxed);
    if (FN_LIKELY(fn_node_is(node, fn) && node->parent == cur))
        count_begin(own, node, stack);
    else
        enter_elsewhere(own, fn, stack, recent);
}

FN_PUBLIC void __cyg_profile_func_enter(void *fn, void *site)
{
    struct fn_own *own = fn_self;
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    uint8_t way = atomic_load_explicit(&own->way, memory_order_relaxed);
    if (FN_LIKELY(way == FN_WAY_COUNT)) {
        enter_count(own, (uintptr_t)fn, (uintptr_t)site, stack);
    } else if (FN_LIKELY(way == FN_WAY_CLOCK)) {
        enter_clock(own, (uintptr_t)fn, stack);
    } else {
        enter_slow((uintptr_t)fn, stack);
    }
}

/* ---- exit ---- */

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

static FN_NOINLINE void exit_slow(struct fn_own *own, uintptr_t fn)
{
    if (!fn_own_counts(own) || (own->slow & (FN_BUSY | FN_OUT)))
        return;
    if (own->clock)
        fn_own_slice(own, fn_now());
    size_t depth = depth_of(own, fn);
    if (!depth || (depth != fn_own_depth(own) && !is_caught_above(own, depth)))
        atomic_fetch_add(&fn_file->unmatched, 1);
    if (depth)
        fn_tree_cut(own, depth - 1);
}

/* Above the floor, the caller's place is the parent of the node. */
static FN_INLINE bool is_innermost(const struct fn_own *own, const struct fn_call *call,
                                   const struct fn_node *node, uintptr_t fn)
{
    return FN_LIKELY(call > own->floor && fn_node_is(node, fn));
}

static FN_INLINE bool exit_clock(struct fn_own *own, struct fn_call *call, uintptr_t fn)
{
    struct fn_node *node = atomic_load_explicit(&own->cur, memory_order_relaxed);
    if (!is_innermost(own, call, node, fn))
        return false;
    fn_own_slice_of(own, node, fn_now());
    atomic_store_explicit(&own->top, call - 1, memory_order_relaxed);
    own->left = node;
    fn_own_at(own, node->parent, node->after);
    return true;
}

static FN_INLINE bool exit_count(struct fn_own *own, struct fn_call *call, uintptr_t fn)
{
    struct fn_node *node = atomic_load_explicit(&own->cur, memory_order_relaxed);
    if (!is_innermost(own, call, node, fn))
        return false;
    atomic_store_explicit(&own->top, call - 1, memory_order_relaxed);
    atomic_store_explicit(&own->cur, node->parent, memory_order_relaxed);
    return true;
}

FN_PUBLIC void __cyg_profile_func_exit(void *fn, void *site)
{
    struct fn_own *own = fn_self;
    uint8_t way = atomic_load_explicit(&own->way, memory_order_relaxed);
    struct fn_call *call = atomic_load_explicit(&own->top, memory_order_relaxed);
    (void)site;
    if (FN_LIKELY(way == FN_WAY_COUNT)) {
        if (FN_LIKELY(exit_count(own, call, (uintptr_t)fn)))
            return;
    } else if (FN_LIKELY(way == FN_WAY_CLOCK)) {
        if (FN_LIKELY(exit_clock(own, call, (uintptr_t)fn)))
            return;
    }
    exit_slow(own, (uintptr_t)fn);
}
