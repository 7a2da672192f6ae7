/* SPDX-License-Identifier: MIT */
/* folded.c - folded stacks for flame graphs: a line for each path of regions, with its self time in
 * microseconds. */
#include "sinks/common/trace_formats/folded.h"
#include "core/text/vec.h"

#include "core/text/escape.h"
#include "sinks/common/trace_formats/call_tree.h"

#include <stdlib.h>

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
    .begin = swi_call_tree_begin,
    .end = swi_call_tree_end,
    .finish = finish,
    .free = swi_call_tree_free,
};
