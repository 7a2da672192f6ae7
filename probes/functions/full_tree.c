/* SPDX-License-Identifier: MIT */
#include "probes/functions/full_tree.h"
#include "probes/functions/store.h"
#include "probes/functions/nodes.h"

/* Counts how often something is open: a function, or a caller with a callee; in the whole thread,
 * or among the calls entered in one region. */
struct level {
    uintptr_t caller; /* 0: the function, with any caller */
    uintptr_t fn;
    int32_t region; /* EVERYWHERE */
    int32_t open;
};
enum { LEVELS = 1 << 18, LEVEL_PLACES = 16, EVERYWHERE = -2 };

struct fn_levels {
    struct level level[LEVELS];
};

/* ---- levels ---- */

static uint32_t level_hash(uintptr_t caller, uintptr_t fn, int32_t region)
{
    uint64_t mixed = (fn >> 2) + (caller >> 2) * 31 + (uint64_t)(uint32_t)region * 1000003;
    return (uint32_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/* The entry of a key is one of these 16, from a place computed from the key: that with the key,
 * else one with which nothing is open any more. So the table is as full as calls are deep, whatever
 * has been called before. NULL if there is none. */
static int32_t *level_of(struct fn_own *own, uintptr_t caller, uintptr_t fn, int32_t region)
{
    uint32_t first = level_hash(caller, fn, region);
    struct level *unused = NULL;
    for (uint32_t i = 0; own->levels && i < LEVEL_PLACES; i++) {
        struct level *level = &own->levels->level[(first + i) % LEVELS];
        if (level->fn == fn && level->caller == caller && level->region == region)
            return &level->open;
        if (!unused && !level->open)
            unused = level;
    }
    if (!unused)
        return NULL;
    *unused = (struct level){caller, fn, region, 0};
    return &unused->open;
}

/* Returns the flag if it is open already. */
static uint32_t level_add(struct fn_own *own, uintptr_t caller, uintptr_t fn, int32_t region,
                          uint32_t flag)
{
    int32_t *open = level_of(own, caller, fn, region);
    return open && (*open)++ > 0 ? flag : 0;
}

static void level_take(struct fn_own *own, uintptr_t caller, uintptr_t fn, int32_t region)
{
    int32_t *open = level_of(own, caller, fn, region);
    if (open && *open > 0)
        --*open;
}

/* ---- callers ---- */

static uintptr_t caller_of(const struct fn_own *own, const struct fn_call *call)
{
    return call - 1 == own->calls ? 0 : call[-1].node->fn;
}

/* Among the calls entered in the same region. */
static uintptr_t caller_within(const struct fn_own *own, const struct fn_call *call, int32_t region)
{
    for (const struct fn_call *below = call - 1; below != own->calls; below--)
        if (below->node->region == region)
            return below->node->fn;
    return 0;
}

/* If nothing else calls, the pseudo function of a root does. So an edge never has the key 0. */
#define EDGE(caller) ((caller) ? (caller) : (uintptr_t)1)

static uint32_t levels_add(struct fn_own *own, const struct fn_call *call, uintptr_t fn,
                           int32_t region)
{
    uintptr_t caller = caller_of(own, call), within = caller_within(own, call, region);
    return level_add(own, 0, fn, EVERYWHERE, FN_OPEN) |
           level_add(own, EDGE(caller), fn, EVERYWHERE, FN_OPEN_EDGE) |
           level_add(own, 0, fn, region, FN_OPEN_REGION) |
           level_add(own, EDGE(within), fn, region, FN_OPEN_REGION_EDGE);
}

static void levels_take(struct fn_own *own, const struct fn_call *call)
{
    uintptr_t fn = call->node->fn;
    level_take(own, 0, fn, EVERYWHERE);
    level_take(own, EDGE(caller_of(own, call)), fn, EVERYWHERE);
    level_take(own, 0, fn, call->node->region);
    level_take(own, EDGE(caller_within(own, call, call->node->region)), fn, call->node->region);
}

void fn_full_tree_begin(struct fn_own *own)
{
    if (!own->levels) {
        own->levels = fn_store_memory(NULL, sizeof *own->levels);
        fn_store_need(own->sums, FN_NODES * sizeof *own->sums);
    }
    for (struct fn_call *call = own->calls + 1; call <= own->top; call++) {
        levels_add(own, call, call->node->fn, call->node->region);
        own->entered[call - own->calls] = (struct fn_entered){NULL, 0};
    }
    fn_own_slow(own, FN_CAPPED);
}

/* ---- nodes ---- */

static uint32_t node_hash(uintptr_t caller, uintptr_t within, uintptr_t fn, uint32_t flags)
{
    return (uint32_t)(fn >> 2) + (uint32_t)(caller >> 3) * 5 + (uint32_t)(within >> 4) + flags * 7;
}

static bool is_same(const struct fn_own *own, const struct fn_node *node, uintptr_t caller,
                    uintptr_t within, uintptr_t fn, uint32_t flags)
{
    return node->fn == fn && node->flags == flags && node->region == own->region &&
           node->caller == caller && fn_own_sums(own, node)->caller_region == within;
}

/* If the table is full, the last node gets the calls of many functions. */
static struct fn_node *node_of(struct fn_own *own, uintptr_t caller, uintptr_t within, uintptr_t fn,
                               uint32_t flags)
{
    struct fn_node **chain = &own->chains[node_hash(caller, within, fn, flags) % FN_CHAINS];
    struct fn_node *node = *chain;
    while (node && !is_same(own, node, caller, within, fn, flags))
        node = node->chain;
    if (node)
        return node;
    node = fn_tree_more(own);
    if (!node) {
        atomic_fetch_add(&fn_file->lost, 1);
        fn_store_need(&own->nodes[FN_NODES_ALL - 1], sizeof *node);
        fn_store_need(&own->sums[FN_NODES_ALL - 1], sizeof *own->sums);
        return &own->nodes[FN_NODES_ALL - 1];
    }
    atomic_store(&node->fn, fn);
    node->flags = flags;
    node->caller = caller;
    fn_own_sums(own, node)->caller_region = within;
    node->chain = *chain;
    return *chain = node;
}

struct fn_node *fn_full_tree_carried(struct fn_own *own, const struct fn_call *call)
{
    return node_of(own, caller_of(own, call), caller_within(own, call, own->region), call->node->fn,
                   FN_BEYOND | FN_CARRIED);
}

/* ---- calls ---- */

static int64_t region_now(const struct fn_own *own, int32_t region)
{
    int64_t total = own->region_total[region + 1];
    return own->region == region ? total + fn_own_clock(own) - own->region_since : total;
}

static struct fn_node *in_tree(struct fn_own *own, uintptr_t fn)
{
    struct fn_node *cur = own->cur;
    return cur->flags & FN_BEYOND ? NULL : fn_tree_child(own, cur, fn, 0);
}

void fn_full_tree_enter(struct fn_own *own, uintptr_t fn, uintptr_t stack)
{
    struct fn_call *call = own->top + 1;
    struct fn_entered *entered = &own->entered[call - own->calls];
    struct fn_node *node = in_tree(own, fn);
    uint32_t flags = levels_add(own, call, fn, own->region);
    entered->from = NULL;
    if (!node) {
        node = node_of(own, caller_of(own, call), caller_within(own, call, own->region), fn,
                       FN_BEYOND | flags);
        entered->from = own->cur->flags & FN_BEYOND ? NULL : own->cur;
        entered->at = region_now(own, own->region);
    }
    node->calls++;
    *call = (struct fn_call){node, node, stack};
    own->top = call;
    fn_own_at(own, node, own->nodes);
}

/* Time in other regions belongs to nodes below those that stand for the call there. */
static void total_add(struct fn_own *own, struct fn_call *call)
{
    struct fn_entered *entered = &own->entered[call - own->calls];
    int64_t now = region_now(own, call->node->region), total = now - entered->at;
    fn_own_sums(own, call->node)->total += total;
    if (entered->from)
        fn_own_sums(own, entered->from)->below += total;
    entered->at = now;
}

void fn_full_tree_exit(struct fn_own *own, struct fn_call *call)
{
    levels_take(own, call);
    if (call->node->flags & FN_BEYOND)
        total_add(own, call);
}

void fn_full_tree_end(struct fn_own *own)
{
    for (struct fn_call *call = own->calls + 1; call <= own->top; call++)
        if (call->node->flags & FN_BEYOND)
            total_add(own, call);
}
