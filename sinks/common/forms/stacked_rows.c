/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/form.h"

#include "core/text/map.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* Paths with the same action and the same innermost regions around it are one row. */
struct grouping {
    const struct swi_path_table *table;
    size_t depth;
    bool amended; /* the report also has what was in the one before */
    struct swi_styled_row *row;
    size_t *path; /* of each row: its first one */
    size_t rows;
    size_t *row_of;         /* of each path: its row + 1; 0: none */
    int64_t *inside_ns;     /* of each path: the self times in it that the rows have */
    struct swi_map numbers; /* of rows, by the ids of their action and of those around it */
    int *ids;               /* of a row */
    size_t frames;          /* of all rows */
};

/* Returns whether a name is that of a place in the source: "train.c(42): forward". */
static bool is_place(const char *name)
{
    const char *end = strstr(name, "): ");
    const char *digits = end;
    while (digits && digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    return end && digits < end && digits - name > 1 && digits[-1] == '(';
}

/* The row of the fit is left out, because the totals represent it. */
static bool is_row(const struct swi_call_path *path)
{
    return path->action_id != SW_FIT && path->action_id >= 0 && !is_place(path->action);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static size_t frames_of(const struct grouping *by, size_t path)
{
    size_t frames = 0;
    while (frames < by->depth && (path = by->table->path[path].parent) != 0)
        frames++;
    return frames;
}

/* Returns the number of the row of a path, which is new if it is `rows`; -1: out of memory. */
static ptrdiff_t row_number(struct grouping *by, size_t path)
{
    size_t ids = 0;
    for (size_t i = 0; i <= by->depth && path; i++) {
        by->ids[ids++] = by->table->path[path].action_id;
        path = by->table->path[path].parent;
    }
    return swi_map_add(&by->numbers, by->ids, ids * sizeof *by->ids);
}

static struct swi_path_sums sums_of(const struct grouping *by, const struct swi_call_path *path)
{
    struct swi_path_sums sums = path->report;
    if (by->amended)
        swi_path_sums_add(&sums, &path->before);
    return sums;
}

static void row_new(struct grouping *by, size_t path, const char *step_name)
{
    const struct swi_call_path *of = &by->table->path[path];
    const struct sw_report_row from = {
        .action_id = of->action_id, .action = of->action, .first_use = of->first_ns};
    swi_styled_row_begin(&by->row[by->rows], &from, step_name);
    by->path[by->rows++] = path;
    by->frames += frames_of(by, path);
}

/* Returns false if out of memory. */
static bool path_add(struct grouping *by, size_t path, const char *step_name)
{
    const struct swi_call_path *of = &by->table->path[path];
    const struct swi_path_sums sums = sums_of(by, of);
    if (!sums.calls || !is_row(of))
        return true;
    ptrdiff_t number = row_number(by, path);
    if (number < 0)
        return false;
    if ((size_t)number == by->rows)
        row_new(by, path, step_name);
    by->row_of[path] = (size_t)number + 1;
    struct swi_styled_row *row = &by->row[number];
    row->row.calls += sums.calls;
    row->row.total_ns += (double)sums.total_ns;
    row->row.self_ns += (double)sums.self_ns;
    row->self_net += sums.self_net;
    row->net += sums.net;
    row->flops += (double)sums.flops;
    if (of->first_ns < row->row.first_use)
        row->row.first_use = of->first_ns;
    return true;
}

/* A fit has no row, and what was in it may be in the report before: then it took the own time of
 * the region around it. */
static void own_times_complete(struct grouping *by)
{
    for (size_t i = by->table->count; i-- > 1;) {
        const struct swi_call_path *of = &by->table->path[i];
        const struct swi_path_sums sums = sums_of(by, of);
        by->inside_ns[i] += of->action_id == SW_FIT ? 0 : sums.self_ns;
        by->inside_ns[of->parent] += by->inside_ns[i];
        int64_t lacks = sums.total_ns - by->inside_ns[i];
        if (!of->parent && by->row_of[i] && lacks > 0)
            by->row[by->row_of[i] - 1].row.self_ns += (double)lacks;
    }
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static void frames_take(const struct grouping *by, size_t row, const char **frame)
{
    size_t path = by->path[row];
    struct swi_styled_row *of = &by->row[row];
    of->frame = frame;
    of->frames = frames_of(by, path);
    for (size_t i = 0; i < of->frames; i++) {
        path = by->table->path[path].parent;
        frame[i] = by->table->path[path].action;
    }
}

static void frames_join(struct swi_text *text, const struct swi_styled_row *row)
{
    for (size_t i = 0; i < row->frames; i++) {
        swi_text_put(text, i ? "; " : "");
        swi_text_put(text, row->frame[i]);
    }
    swi_text_add(text, "", 1);
}

static bool stacks_take(const struct grouping *by, struct swi_stack_texts *texts)
{
    const char **frame = texts->frame = calloc(by->frames + 1, sizeof *frame);
    if (!frame)
        return false;
    for (size_t i = 0; i < by->rows; i++) {
        frames_take(by, i, frame);
        frame += by->row[i].frames;
        frames_join(&texts->joined, &by->row[i]);
    }
    const char *joined = texts->joined.data;
    for (size_t i = 0; i < by->rows && !texts->joined.failed; i++) {
        by->row[i].stack = joined;
        joined += strlen(joined) + 1;
    }
    return !texts->joined.failed;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void spans_add(struct grouping *by, const struct sw_report *report, const char *step_name)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *from = sw_report_row(report, i);
        if (from->phase_id != SW_PHASE_SPANS || !from->calls)
            continue;
        swi_styled_row_begin(&by->row[by->rows], from, step_name);
        swi_styled_row_add(&by->row[by->rows++], report, from);
    }
}

static bool grouping_init(struct grouping *by, size_t spans)
{
    size_t paths = by->table->count;
    by->row = calloc(paths + spans + 1, sizeof *by->row);
    by->path = calloc(paths + 1, sizeof *by->path);
    by->row_of = calloc(paths + 1, sizeof *by->row_of);
    by->inside_ns = calloc(paths + 1, sizeof *by->inside_ns);
    by->ids = calloc(paths + 1, sizeof *by->ids);
    return by->row && by->path && by->row_of && by->inside_ns && by->ids;
}

static bool paths_add(struct grouping *by, const char *step_name)
{
    for (size_t i = 1; i < by->table->count; i++)
        if (!path_add(by, i, step_name))
            return false;
    return true;
}

struct swi_styled_row *swi_stacked_rows(const struct sw_report *report,
                                        const struct swi_path_table *table, size_t depth,
                                        const char *step_name, int64_t time_ns, size_t *count,
                                        struct swi_style_totals *totals,
                                        struct swi_stack_texts *texts)
{
    struct grouping by = {.table = table, .depth = depth};
    bool news_only = report->count && report->row->phase_id == SW_PHASE_AFTER;
    by.amended = report->amended && !news_only;
    bool fine = !table->failed && grouping_init(&by, report->count);
    fine = fine && paths_add(&by, step_name) && stacks_take(&by, texts);
    if (fine) {
        own_times_complete(&by);
        spans_add(&by, report, step_name);
        swi_styled_rows_finish(by.row, by.rows, report, time_ns, totals);
    } else {
        free(by.row);
        by.row = NULL;
    }
    *count = fine ? by.rows : 0;
    free(by.path);
    free(by.row_of);
    free(by.inside_ns);
    free(by.ids);
    swi_map_free(&by.numbers);
    return by.row;
}

void swi_stack_texts_fini(struct swi_stack_texts *texts)
{
    free(texts->frame);
    swi_text_free(&texts->joined);
    *texts = (struct swi_stack_texts){0};
}
