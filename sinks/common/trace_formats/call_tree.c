/* SPDX-License-Identifier: MIT */
/* track->node is the thread's current node, and its root at the end. */
#include "sinks/common/trace_formats/call_tree.h"

#include <stdlib.h>

static struct swi_call *child_new(struct swi_timeline *t, struct swi_call *parent, uint32_t name)
{
    struct swi_call **last = parent ? &parent->child : NULL;
    for (; last && *last; last = &(*last)->next)
        if ((*last)->name == name)
            return *last;
    struct swi_call *node = calloc(1, sizeof *node);
    if (!node) {
        t->failed = true;
        return NULL;
    }
    node->parent = parent;
    node->name = name;
    if (last)
        *last = node;
    return node;
}

void swi_call_tree_begin(struct swi_timeline *t, struct swi_track *track,
                         struct swi_interval *interval)
{
    if (!track->node)
        track->node = child_new(t, NULL, 0);
    struct swi_call *node = track->node ? child_new(t, track->node, interval->name) : NULL;
    if (node)
        track->node = node;
}

void swi_call_tree_end(struct swi_timeline *t, struct swi_track *track,
                       struct swi_interval *interval)
{
    struct swi_call *node = track->node;
    int64_t all_ns = interval->end_ns - interval->begin_ns;
    int64_t took_ns = all_ns - interval->paused_ns;
    if (t->failed || !node || !node->parent)
        return;
    node->calls += !interval->cancelled;
    node->total_ns += interval->cancelled ? 0 : took_ns;
    node->all_ns += all_ns;
    node->parent->inside_ns += all_ns;
    track->node = node->parent;
}

static void node_free(struct swi_call *node)
{
    while (node) {
        struct swi_call *next = node->child ? node->child : node->next;
        if (node->child) {
            /* Frees the children first, without recursion, because a tree may be deep. */
            struct swi_call *last = node->child;
            while (last->next)
                last = last->next;
            last->next = node->next;
        }
        free(node);
        node = next;
    }
}

void swi_call_tree_free(struct swi_timeline *t)
{
    for (size_t i = 0; i < t->track_count; i++) {
        struct swi_call *node = t->track[i]->node;
        while (node && node->parent)
            node = node->parent;
        node_free(node);
        t->track[i]->node = NULL;
    }
}

const struct swi_timeline_format swi_timeline_call_tree = {
    .name = "tree",
    .extension = "",
    .begin = swi_call_tree_begin,
    .end = swi_call_tree_end,
    .free = swi_call_tree_free,
};
