/* SPDX-License-Identifier: MIT */
/* track->node is the thread's current node, and its root at the end. */
#include "sinks/common/trace_formats/timeline_state.h"

#include "core/text/escape.h"
#include "core/text/folded.h"

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

static void tree_begin(struct swi_timeline *t, struct swi_track *track,
                       struct swi_interval *interval)
{
    if (!track->node)
        track->node = child_new(t, NULL, 0);
    struct swi_call *node = track->node ? child_new(t, track->node, interval->name) : NULL;
    if (node)
        track->node = node;
}

static void tree_end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
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

static void tree_free(struct swi_timeline *t)
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
    .begin = tree_begin,
    .end = tree_end,
    .free = tree_free,
};

/* ---- the format folded ----------------------------------------------------------------------- */

static int64_t self_us(const struct swi_call *node)
{
    return (node->all_ns - node->inside_ns + 500) / 1000;
}

/* Adds the tree below a root, without recursion. path grows and shrinks. */
static void tree_add(const struct swi_timeline *t, struct swi_folded *folded, struct swi_text *path,
                     const struct swi_call *root)
{
    const struct swi_call *node = root->child;
    while (node && !path->failed) {
        const struct swi_timeline_name *name = &t->names.item[node->name];
        swi_text_put(path, ";");
        swi_escape_frame(path, name->text, name->size);
        if (self_us(node) > 0)
            swi_folded_add(folded, path, self_us(node));
        if (node->child) {
            node = node->child;
            continue;
        }
        path->size -= name->size + 1;
        while (node != root && !node->next) {
            node = node->parent;
            if (node != root)
                path->size -= t->names.item[node->name].size + 1;
        }
        node = node == root ? NULL : node->next;
    }
    folded->failed |= path->failed;
}

static void track_add(const struct swi_timeline *t, struct swi_folded *folded,
                      const struct swi_track *track)
{
    struct swi_text path = {0};
    if (!track->node)
        return;
    if (t->process_count > 1)
        swi_text_format(&path, "rank_%" PRId64 "_", t->process[track->process]->rank);
    if (track->is_loop)
        swi_text_put(&path, "loop");
    else
        swi_text_format(&path, "thread_%d", track->thread);
    tree_add(t, folded, &path, track->node);
    swi_text_free(&path);
}

static void finish(struct swi_timeline *t)
{
    struct swi_folded folded = {0};
    for (size_t i = 0; i < t->track_count; i++)
        track_add(t, &folded, t->track[i]);
    t->failed |= !swi_folded_end(&folded, &t->out);
}

const struct swi_timeline_format swi_timeline_folded = {
    .name = "folded",
    .extension = ".folded",
    .whole = true,
    .begin = tree_begin,
    .end = tree_end,
    .finish = finish,
    .free = tree_free,
};
