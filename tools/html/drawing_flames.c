/* SPDX-License-Identifier: MIT */
/* drawing_flames.c - The root is at the top, callees are below their caller, and the width of a
 * frame is its time with callees. */
#include "core/text/map.h"
#include "sinks/common/functions/merged_tree.h"
#include "tools/html/page.h"
#include "tools/html/page_parts.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 900,
    FRAME = 17,    /* pixels: height of a frame */
    CHARACTER = 7, /* width of a character */
    FRAMES = 2000, /* most frames of a graph */
    DEPTH = 256,   /* most rows */
    LARGEST = 20   /* rows of the table */
};
#define SHARE_LEAST 0.001

/* Colours on which dark text can be read. */
static const char *const colours[] = {"c0", "c1", "c2", "c4", "c6", "c8", "c9"};
enum { COLOURS = sizeof colours / sizeof *colours };

struct flames {
    FILE *out;
    const struct tree *tree;
    const char *root;    /* its name, if it is not a function */
    double total, least; /* ns: time of the root, least time of a frame that is shown */
    int frames, rows;
    bool failed;
};

/* ---- which frames are shown ---- */

static int larger_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x > *y ? -1 : *x < *y;
}

/* Finds the least time of a frame that is shown. Callers of such a frame are shown, too, because
 * they take at least as long. */
static void least_find(struct flames *flames)
{
    const struct tree *tree = flames->tree;
    double *totals = calloc(tree->count + 1, sizeof *totals);
    size_t count = 0;
    flames->least = SHARE_LEAST * flames->total;
    for (size_t i = 0; totals && i < tree->count; i++)
        if (tree->context[i].total >= flames->least)
            totals[count++] = tree->context[i].total;
    if (totals)
        qsort(totals, count, sizeof *totals, larger_first);
    if (totals && count > FRAMES)
        flames->least = totals[FRAMES - 1];
    flames->failed |= !totals;
    free(totals);
}

/* ---- names ---- */

/* The caller frees the result. */
static char *name_of(const struct flames *flames, size_t i)
{
    size_t function = flames->tree->context[i].function, size;
    if (function == SIZE_MAX)
        return strdup(flames->root);
    const char *name = stacks_name(flames->tree, function, &size);
    return strndup(name, size);
}

static const char *colour_of(const char *name)
{
    size_t length;
    return colours[swi_hash(name, SIZE_MAX, &length) % COLOURS];
}

/* ---- a frame ---- */

static void title_put(const struct flames *flames, size_t i, const char *name)
{
    const struct context *context = &flames->tree->context[i];
    char own[TEXT_NUMBER], total[TEXT_NUMBER], share[TEXT_NUMBER];
    FILE *out = flames->out;
    const struct function *f =
        context->function == SIZE_MAX ? NULL : &flames->tree->stats.function[context->function];
    html_put(out, "<title>%s", name);
    if (f && f->line)
        html_put(out, "\n%s:%" PRId64, f->file, f->line);
    bool sampled = flames->tree->sampled;
    fprintf(out, "\n%" PRId64 " %s, own %s, total %s, %s</title>",
            sampled ? context->seen : context->calls, sampled ? "samples" : "calls",
            text_time(own, context->self), text_time(total, context->total),
            text_share(share, context->total / flames->total));
}

static void text_fit(FILE *out, const char *name, double x, int y, double width)
{
    int fits = (int)(width / CHARACTER) - 1;
    if (fits < 3)
        return;
    fprintf(out, "<text class=\"frame\" x=\"%.2f\" y=\"%d\">", x + 3, y);
    text_html(out, name, (size_t)fits);
    fputs("</text>", out);
}

static void frame_put(struct flames *flames, size_t i, double x, int row)
{
    double width = flames->tree->context[i].total / flames->total * WIDTH;
    char *name = name_of(flames, i);
    if (!name) {
        flames->failed = true;
        return;
    }
    fputs("<g>", flames->out);
    title_put(flames, i, name);
    fprintf(flames->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>",
            colour_of(name), x, row * FRAME, width > 0.4 ? width - 0.3 : width, FRAME - 1);
    text_fit(flames->out, name, x, row * FRAME + FRAME - 5, width);
    fputs("</g>\n", flames->out);
    free(name);
    flames->frames++;
}

/* ---- callees, by name ---- */

static int by_name(const void *a, const void *b, void *tree)
{
    const struct tree *of = tree;
    const size_t *x = a, *y = b;
    const struct function *f = &of->stats.function[of->context[*x].function];
    const struct function *g = &of->stats.function[of->context[*y].function];
    int names = strcmp(f->name, g->name);
    return names ? names : function_compare(f, g);
}

/* The caller frees the result. */
static size_t *children_of(const struct flames *flames, size_t i, size_t *count)
{
    const struct context *context = flames->tree->context;
    *count = 0;
    for (size_t c = context[i].child; c; c = context[c].next)
        ++*count;
    size_t *children = calloc(*count + 1, sizeof *children), k = 0;
    for (size_t c = context[i].child; children && c; c = context[c].next)
        children[k++] = c;
    if (children && k)
        qsort_r(children, k, sizeof *children, by_name, (void *)flames->tree);
    return children;
}

/* Draws a frame and its callees. Frames that are not shown still take their place. draw: false to
 * count the rows only. */
static void frames_walk(struct flames *flames, size_t i, double x, int row, bool draw)
{
    const struct context *context = flames->tree->context;
    size_t count;
    if (row >= DEPTH || context[i].total < flames->least || flames->frames >= FRAMES)
        return;
    if (row >= flames->rows)
        flames->rows = row + 1;
    if (draw)
        frame_put(flames, i, x, row);
    size_t *children = children_of(flames, i, &count);
    flames->failed |= !children;
    for (size_t k = 0; children && k < count; k++) {
        frames_walk(flames, children[k], x, row + 1, draw);
        x += context[children[k]].total / flames->total * WIDTH;
    }
    free(children);
}

static void graph_put(struct flames *flames, const char *name)
{
    least_find(flames);
    frames_walk(flames, 0, 0, 0, false);
    html_put(flames->out,
             "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"flame graph of %s\">\n",
             WIDTH, flames->rows * FRAME, name);
    frames_walk(flames, 0, 0, 0, true);
    fputs("</svg></figure>\n", flames->out);
}

/* ---- the largest ---- */

static int by_own(const void *a, const void *b)
{
    const struct function *const *x = a, *const *y = b;
    double own = (*x)->counts.tt, other = (*y)->counts.tt;
    return own > other ? -1 : own < other ? 1 : function_compare(*x, *y);
}

static void row_put(FILE *out, const struct function *function)
{
    char text[TEXT_NUMBER], *shown = function_shown(function);
    html_put(out, "<tr><td class=\"name\">%s</td><td>%" PRId64 "</td>",
             shown ? shown : function->name, function->counts.nc);
    put_cell(out, text_time(text, function->counts.tt * 1e9));
    put_cell(out, text_time(text, function->counts.ct * 1e9));
    fputs("</tr>\n", out);
    free(shown);
}

static bool table_put(FILE *out, const struct tree *tree)
{
    struct stats stripped;
    bool fine = stats_strip(&tree->stats, &stripped);
    const struct function **order = calloc(stripped.count + 1, sizeof *order);
    for (size_t i = 0; order && i < stripped.count; i++)
        order[i] = &stripped.function[i];
    if (order && stripped.count)
        qsort(order, stripped.count, sizeof *order, by_own);
    put_table_begin(out, tree->sampled ? "<th class=\"name\">Function</th><th>Samples</th>"
                                         "<th>Own</th><th>Total</th>"
                                       : "<th class=\"name\">Function</th><th>Calls</th>"
                                         "<th>Own</th><th>Total</th>");
    for (size_t i = 0; order && i < stripped.count && i < LARGEST; i++)
        row_put(out, order[i]);
    put_table_end(out);
    fine = fine && order;
    free(order);
    stats_free(&stripped);
    return fine;
}

/* ---- all of it ---- */

static bool action_draw(FILE *out, const struct profile *profile, int number, const char *name)
{
    struct tree tree;
    struct flames flames = {.out = out, .tree = &tree, .root = name};
    bool fine = tree_make(&tree, profile, number);
    if (fine && tree.context[0].total > 0) {
        flames.total = tree.context[0].total;
        html_put(out, "<h3>Functions in %s</h3>\n", name);
        graph_put(&flames, name);
        fine = table_put(out, &tree) && !flames.failed;
    }
    tree_free(&tree);
    return fine;
}

bool draw_flames(FILE *out, const struct profile *profile)
{
    bool fine = true;
    fputs("<section>\n<h2>Functions</h2>\n<p>Each frame is a function, below its caller; its width "
          "is the time that it took with its callees. Point at one for its figures.</p>\n",
          out);
    for (size_t i = 0; i < profile->action_count && fine; i++)
        fine = action_draw(out, profile, profile->action[i].number, profile->action[i].name);
    if (!profile->action_count)
        fine = action_draw(out, profile, PROFILE_WHOLE, "the program");
    fputs("</section>\n", out);
    return fine;
}
