/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/timeline_state.h"
#include "tools/export/exporting.h"
#include "tools/export/log_timeline.h"
#include "tools/output/print.h"

#include <string.h>

enum { INDENT = 2, INDENT_MOST = 60, WIDTH_LEAST = 24, WIDTH_MOST = 72 };

static int indent_of(int depth)
{
    return depth * INDENT < INDENT_MOST ? depth * INDENT : INDENT_MOST;
}

/* ---- walking: without recursion, for a tree may be deep ---- */

static const struct swi_call *next_of(const struct swi_call *root, const struct swi_call *node,
                                      int *depth)
{
    if (node->child) {
        ++*depth;
        return node->child;
    }
    while (node != root && !node->next) {
        node = node->parent;
        --*depth;
    }
    return node == root ? NULL : node->next;
}

/* ---- printing ---- */

static double share_of(const struct swi_call *node, const struct swi_call *root)
{
    int64_t whole = 0;
    if (node->parent != root)
        whole = node->parent->total_ns;
    else
        for (const struct swi_call *other = root->child; other; other = other->next)
            whole += other->total_ns;
    return whole > 0 ? (double)node->total_ns / (double)whole : 0;
}

static int width_of(const struct swi_timeline *t, const struct swi_call *root)
{
    int depth = 1, width = WIDTH_LEAST;
    for (const struct swi_call *node = root->child; node; node = next_of(root, node, &depth)) {
        int size = indent_of(depth) + (int)swi_text_width(t->names.item[node->name].text);
        width = size > width ? size : width;
    }
    return width < WIDTH_MOST ? width : WIDTH_MOST;
}

static void head_print(int width)
{
    text_put("Region", width);
    printf("  %10s  %10s  %10s  %11s\n", "Total", "Self", "Calls", "% of Parent");
}

static void node_print(const struct swi_timeline *t, const struct swi_call *root,
                       const struct swi_call *node, int depth, int width)
{
    char total[TEXT_NUMBER], self[TEXT_NUMBER], calls[TEXT_NUMBER];
    int indent = indent_of(depth);
    int64_t self_ns = node->total_ns - node->inside_ns;
    printf("%*s", indent, "");
    text_put(t->names.item[node->name].text, width - indent);
    printf("  %10s  %10s  %10s  %10.1f%%\n", text_time(total, (double)node->total_ns),
           text_time(self, self_ns > 0 ? (double)self_ns : 0),
           text_count(calls, (double)node->calls), 100 * share_of(node, root));
}

static void track_print(const struct swi_timeline *t, const struct swi_track *track, int width)
{
    const struct swi_call *root = track->node;
    int depth = 1;
    if (track->is_loop)
        printf("loop\n");
    else
        printf("thread %d\n", track->thread);
    for (const struct swi_call *node = root->child; node; node = next_of(root, node, &depth))
        if (node->calls > 0) /* else it was cancelled */
            node_print(t, root, node, depth, width);
}

static void print(const struct swi_timeline *t)
{
    int width = WIDTH_LEAST;
    for (size_t i = 0; i < t->track_count; i++)
        if (t->track[i]->node && width_of(t, t->track[i]->node) > width)
            width = width_of(t, t->track[i]->node);
    head_print(width);
    for (int loop = 1; loop >= 0; loop--)
        for (size_t i = 0; i < t->track_count; i++)
            if (t->track[i]->node && t->track[i]->is_loop == loop)
                track_print(t, t->track[i], width);
}

static bool nothing_written(void *arg, const char *data, size_t size)
{
    (void)arg;
    (void)data;
    (void)size;
    return true;
}

int tree_print(const char *path, struct sw_error *err)
{
    struct log_timeline_head head = {.loop = -1};
    struct log_timeline read;
    struct swi_timeline t = {.format = &swi_timeline_call_tree, .write = nothing_written};
    int rc = log_timeline_head(path, &head, err);
    if (rc < 0) {
        log_timeline_head_free(&head);
        return rc;
    }
    swi_timeline_start(&t);
    rc = log_timeline_play(&t, &head, &read, err);
    swi_timeline_finish(&t);
    if (rc == 0 && t.failed)
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    if (rc == 0) {
        print(&t);
        log_timeline_say(&read, "report");
    }
    sw_error_free(&read.first_damage);
    swi_timeline_free(&t);
    log_timeline_head_free(&head);
    return rc;
}
