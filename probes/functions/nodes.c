/* SPDX-License-Identifier: MIT */
#include "probes/functions/nodes.h"
#include "probes/functions/mappings.h"
#include "probes/functions/store.h"

/* Number of nodes whose pages are made at once. */
enum { CHUNK = 256 };

static uint32_t cap = FN_CAP;

void fn_nodes_cap(uint32_t most)
{
    if (most < cap)
        cap = most;
}

/* ---- making nodes ---- */

/* Node 0 means none; its function belongs to no call. */
void fn_tree_init(struct fn_own *own)
{
    fn_store_need(own->nodes, CHUNK * sizeof *own->nodes);
    own->filled = CHUNK;
    own->more_filled = FN_NODES;
    atomic_store(&own->part->more, FN_NODES);
    atomic_store(&own->part->count, 1);
    own->nodes->first = own->nodes->after = own->nodes;
    for (int i = 0; i < FN_CACHE; i++)
        own->cache[i] = own->nodes;
    for (int i = 0; i < FN_RECENT; i++)
        own->recent[i] = own->nodes;
}

static void chunk_fill(struct fn_own *own, uint32_t *filled, uint32_t index)
{
    if (index < *filled)
        return;
    fn_store_need(own->nodes + *filled, CHUNK * sizeof *own->nodes);
    *filled += CHUNK;
}

static struct fn_node *node_new(struct fn_own *own, uint32_t most)
{
    uint32_t index = atomic_load(&own->part->count);
    if (index >= most)
        return NULL;
    chunk_fill(own, &own->filled, index);
    struct fn_node *node = &own->nodes[index];
    node->first = node->after = own->nodes;
    node->region = own->region;
    atomic_store(&own->part->count, index + 1);
    return node;
}

struct fn_node *fn_tree_more(struct fn_own *own)
{
    uint32_t index = atomic_load(&own->part->more);
    if (index >= FN_NODES_ALL - 1)
        return NULL;
    if (index >= own->more_filled)
        fn_store_need(own->sums + index, CHUNK * sizeof *own->sums);
    chunk_fill(own, &own->more_filled, index);
    struct fn_node *node = &own->nodes[index];
    node->first = own->nodes;
    node->region = own->region;
    atomic_store(&own->part->more, index + 1);
    return node;
}

struct fn_node *fn_tree_find(struct fn_own *own, struct fn_node *parent, uintptr_t fn,
                             uint32_t flags)
{
    struct fn_node *node = *fn_tree_chain(own, parent, fn);
    while (node && (node->fn != fn || node->parent != parent || node->flags != flags))
        node = node->chain;
    return node;
}

/* A limit below FN_NODES is for tests. There is room for roots above it. */
struct fn_node *fn_tree_child(struct fn_own *own, struct fn_node *parent, uintptr_t fn,
                              uint32_t flags)
{
    struct fn_node *node = fn_tree_find(own, parent, fn, flags);
    if (node)
        return node;
    fn_places_know(fn);
    if (!(node = node_new(own, flags & FN_CARRIED ? FN_NODES : cap)))
        return NULL;
    struct fn_node **chain = fn_tree_chain(own, parent, fn);
    atomic_store(&node->fn, fn);
    node->flags = flags;
    node->parent = parent;
    node->chain = *chain;
    *chain = node;
    return node;
}

/* ---- regions ---- */

static struct fn_node *root_new(struct fn_own *own, int region)
{
    struct fn_node *root = node_new(own, FN_NODES);
    if (!root)
        return NULL;
    root->region = region;
    root->flags = FN_ROOT;
    root->caller = 0;
    atomic_store(&root->fn, (uint64_t)(int64_t)region);
    return own->roots[region + 1] = root;
}

/* If there is no room, the time counts as outside of regions. */
struct fn_node *fn_tree_root(struct fn_own *own, int region)
{
    struct fn_node *root = own->roots[region + 1];
    if (!root)
        root = root_new(own, region);
    return root ? root : own->roots[0];
}

/* ---- samples --------------------------------------------------------------------------------- */

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
