/* SPDX-License-Identifier: MIT */
/* track->node is the thread's current node, and its root at the end. */
#include "sinks/common/trace_formats/timeline_state.h"

#include "core/text/escape.h"
#include "core/text/vec.h"

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

struct lines {
    char **item;
    size_t count, room;
    bool failed;
};

static void line_take(struct lines *lines, struct swi_text *line)
{
    bool fits = swi_vec_grow(&lines->item, lines->count, &lines->room, sizeof *lines->item);
    if (!fits || line->failed) {
        lines->failed = true;
        swi_text_free(line);
        return;
    }
    lines->item[lines->count++] = line->data;
}

static int64_t self_us(const struct swi_call *node)
{
    return (node->all_ns - node->inside_ns + 500) / 1000;
}

static void line_add(struct lines *lines, const struct swi_text *path, const struct swi_call *node)
{
    struct swi_text line = {0};
    if (self_us(node) <= 0)
        return;
    swi_text_add(&line, path->data, path->size);
    swi_text_format(&line, " %" PRId64 "\n", self_us(node));
    line_take(lines, &line);
}

/* Adds the tree below a root, without recursion. path grows and shrinks. */
static void tree_add(const struct swi_timeline *t, struct lines *lines, struct swi_text *path,
                     const struct swi_call *root)
{
    const struct swi_call *node = root->child;
    while (node && !path->failed) {
        const struct swi_timeline_name *name = &t->names.item[node->name];
        swi_text_put(path, ";");
        swi_escape_frame(path, name->text, name->size);
        line_add(lines, path, node);
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
    lines->failed |= path->failed;
}

static void track_add(const struct swi_timeline *t, struct lines *lines,
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
    tree_add(t, lines, &path, track->node);
    swi_text_free(&path);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the time of line i to the next one if their paths are the same, because different names may
 * give the same frame. Returns true if line i must not be printed. */
static bool is_joined(struct lines *lines, size_t i)
{
    char *line = lines->item[i], *next = i + 1 < lines->count ? lines->item[i + 1] : NULL;
    size_t path = (size_t)(strrchr(line, ' ') - line);
    if (!next || strncmp(line, next, path + 1) != 0)
        return false;
    struct swi_text sum = {0};
    swi_text_add(&sum, line, path);
    swi_text_format(&sum, " %lld\n", atoll(line + path) + atoll(next + path));
    lines->failed |= sum.failed;
    free(next);
    lines->item[i + 1] = sum.data;
    return true;
}

static void finish(struct swi_timeline *t)
{
    struct lines lines = {0};
    for (size_t i = 0; i < t->track_count; i++)
        track_add(t, &lines, t->track[i]);
    if (lines.count)
        qsort(lines.item, lines.count, sizeof *lines.item, by_bytes);
    for (size_t i = 0; i < lines.count; i++) {
        if (!is_joined(&lines, i))
            swi_text_put(&t->out, lines.item[i]);
        free(lines.item[i]);
    }
    free(lines.item);
    t->failed |= lines.failed;
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
