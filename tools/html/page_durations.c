/* SPDX-License-Identifier: MIT */
/* page_durations.c - the durations of a report: its table, and where the time of a step goes. */
#include "tools/html/page_parts.h"
#include "tools/output/print.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <string.h>

void put_table_begin(FILE *out, const char *heads)
{
    fputs("<div class=\"wide\"><table>\n", out);
    if (heads)
        fprintf(out, "<thead><tr>%s</tr></thead>\n", heads);
    fputs("<tbody>\n", out);
}

void put_table_end(FILE *out)
{
    fputs("</tbody>\n</table></div>\n", out);
}

void put_cell(FILE *out, const char *text)
{
    html_put(out, "<td>%s</td>", text);
}

void put_time(FILE *out, double ns)
{
    char text[TEXT_NUMBER];
    put_cell(out, text_time(text, ns));
}

/* A row, and whether it is the first of its phase. */
struct line {
    const struct sw_report *report;
    const struct sw_report_row *row; /* NULL for the line of headers */
    bool first;
};

static void put_name(FILE *out, const struct sw_column *column, const struct line *line)
{
    bool phase = column->offset == offsetof(struct sw_report_row, phase);
    html_put(out, "<td class=\"name\">%s</td>",
             line->first || !phase ? sw_column_text(column, line->row) : "");
}

static void put_value(FILE *out, const struct sw_column *column, const struct line *line)
{
    char text[TEXT_NUMBER];
    double value = sw_column_number(column, line->row);
    if (column->kind == SW_COLUMN_TEXT)
        put_name(out, column, line);
    else if (column->kind == SW_COLUMN_COUNT)
        put_cell(out, text_count(text, value));
    else if (column->kind == SW_COLUMN_DURATION)
        put_time(out, value);
    else if (column->kind == SW_COLUMN_RATIO)
        put_cell(out, text_share(text, value));
    else
        put_cell(out, text_rate(text, value));
}

static void put_header(FILE *out, const struct sw_column *column, const struct line *line)
{
    (void)line;
    fputs(column->kind == SW_COLUMN_TEXT ? "<th class=\"name\">" : "<th>", out);
    html_put(out, "%s</th>", column->brief);
}

/* Self times are shown only if the log has every region. */
static bool is_shown(const struct sw_column *column, const struct collected *run)
{
    bool own = column->offset == offsetof(struct sw_report_row, self_ns);
    return run->regions || run->replay.results_only || !own;
}

/* Puts names and counts first, then measured values. */
static void put_columns(FILE *out, const struct collected *run, const struct line *line,
                        void (*put)(FILE *, const struct sw_column *, const struct line *))
{
    for (int measured = 0; measured < 2; measured++)
        for (size_t i = 0; i < line->report->column_count; i++) {
            const struct sw_column *column = sw_report_column(line->report, i);
            if (is_shown(column, run) && (column->kind > SW_COLUMN_COUNT) == measured)
                put(out, column, line);
        }
}

void put_table(FILE *out, const struct collected *run, const struct collected_report *collected)
{
    const char *before = "";
    struct line line = {.report = &collected->report};
    fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
    put_columns(out, run, &line, put_header);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < collected->count; i++) {
        const struct sw_report_row *row = &collected->row[i].row;
        line.row = row;
        line.first = strcmp(before, row->phase) != 0;
        fputs(line.first ? "<tr class=\"first\">" : "<tr>", out);
        put_columns(out, run, &line, put_value);
        fputs("</tr>\n", out);
        before = row->phase;
    }
    put_table_end(out);
}

/* ---- where the time of a step goes ----------------------------------------------------------- */

enum { WIDTH = 900, HEIGHT = 36, OWN_SHOWN = 3 };

/* A part of the bar. */
struct part {
    const char *name;
    const char *colour;
    double ns; /* in all steps together */
};

struct bar {
    const struct collected_report *report;
    enum sw_phase phase;
    bool regions;
    double total_ns;
    double steps;
    size_t count;
    struct part part[SW_BUILTIN_ACTIONS + OWN_SHOWN + 2];
};

static const char *const colours[SW_BUILTIN_ACTIONS] = {
    [SW_DRAW] = "c0",     [SW_FORWARD] = "c1",   [SW_LOSS] = "c2",    [SW_BACKWARD] = "c3",
    [SW_OPT_STEP] = "c4", [SW_ZERO_GRAD] = "c5", [SW_PREDICT] = "c6",
};

static const struct collected_row *row_of(const struct bar *bar, int action)
{
    for (size_t i = 0; i < bar->report->count; i++) {
        const struct sw_report_row *row = &bar->report->row[i].row;
        if (row->phase_id == bar->phase && row->action_id == action)
            return &bar->report->row[i];
    }
    return NULL;
}

static void part_add(struct bar *bar, const char *name, const char *colour, double ns)
{
    if (ns > 0)
        bar->part[bar->count++] = (struct part){name, colour, ns};
}

/* Returns the time of a part. If every region is known, it is the self time, and own actions within
 * others are parts too. A log of steps does not say what is within what, so only the standard
 * actions are used, which do not nest. */
static double time_of(const struct bar *bar, const struct sw_report_row *row)
{
    return bar->regions && isfinite(row->self_ns) ? row->self_ns : row->total_ns;
}

static void standard_add(struct bar *bar)
{
    for (int action = SW_DRAW; action < SW_BUILTIN_ACTIONS; action++) {
        const struct collected_row *row = action == SW_BATCH ? NULL : row_of(bar, action);
        if (row && colours[action])
            part_add(bar, row->row.action, colours[action], time_of(bar, &row->row));
    }
}

/* Returns the longest of the user's own actions that took less than `below`. */
static const struct sw_report_row *own_longest(const struct bar *bar, double below)
{
    const struct sw_report_row *longest = NULL;
    for (size_t i = 0; i < bar->report->count; i++) {
        const struct collected_row *row = &bar->report->row[i];
        if (row->row.phase_id != bar->phase || row->row.action_id < SW_BUILTIN_ACTIONS ||
            !row->in_step || time_of(bar, &row->row) >= below)
            continue;
        if (!longest || time_of(bar, &row->row) > time_of(bar, longest))
            longest = &row->row;
    }
    return longest;
}

static void own_add(struct bar *bar)
{
    static const char *const own[OWN_SHOWN] = {"c7", "c8", "c9"};
    double below = INFINITY;
    for (int i = 0; bar->regions && i < OWN_SHOWN; i++) {
        const struct sw_report_row *row = own_longest(bar, below);
        if (!row)
            return;
        below = time_of(bar, row);
        part_add(bar, row->action, own[i], below);
    }
}

static bool bar_init(struct bar *bar)
{
    const struct collected_row *batch = row_of(bar, SW_BATCH), *draw = row_of(bar, SW_DRAW);
    if (!batch || batch->row.calls <= 0)
        return false;
    bar->steps = (double)batch->row.calls;
    bar->total_ns = batch->row.total_ns + (draw ? draw->row.total_ns : 0);
    standard_add(bar);
    own_add(bar);
    double known = 0;
    for (size_t i = 0; i < bar->count; i++)
        known += bar->part[i].ns;
    part_add(bar, "rest of batch", "rest", bar->total_ns - known);
    return bar->total_ns > 0;
}

static void put_parts(FILE *out, const struct bar *bar)
{
    double at = 0;
    for (size_t i = 0; i < bar->count; i++) {
        double width = WIDTH * bar->part[i].ns / bar->total_ns;
        html_put(out,
                 "<rect class=\"%s\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"><title>%s"
                 "</title></rect>\n",
                 bar->part[i].colour, at, fmax(fmin(width, WIDTH - at), 0), HEIGHT,
                 bar->part[i].name);
        at += width;
    }
}

static void put_key(FILE *out, const struct bar *bar)
{
    char time[TEXT_NUMBER], share[TEXT_NUMBER];
    put_table_begin(out, "<th class=\"name\">Part of a step</th><th>Mean per step</th>"
                         "<th>of the step</th>");
    for (size_t i = 0; i < bar->count; i++) {
        const struct part *part = &bar->part[i];
        fprintf(out, "<tr><td class=\"name\"><span class=\"swatch %s\"></span>", part->colour);
        text_html(out, part->name, 60);
        fprintf(out, "</td><td>%s</td><td>%s</td></tr>\n", text_time(time, part->ns / bar->steps),
                text_share(share, part->ns / bar->total_ns));
    }
    put_table_end(out);
}

void draw_bar(FILE *out, const struct collected_report *report, enum sw_phase phase, bool regions)
{
    struct bar bar = {.report = report, .phase = phase, .regions = regions};
    char time[TEXT_NUMBER];
    if (!bar_init(&bar))
        return;
    const char *name = phase == SW_PHASE_VALID ? "validation" : "training";
    fprintf(out,
            "<h3>Where a step of %s spends its time</h3>\n<figure>\n"
            "<svg class=\"bar\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"parts of a step of "
            "%s\">\n",
            name, WIDTH, HEIGHT, name);
    put_parts(out, &bar);
    fprintf(out, "</svg>\n<figcaption>The whole bar is %s, the mean of a step: draw and batch.",
            text_time(time, bar.total_ns / bar.steps));
    fputs(regions ? " Each action is shown without the actions inside it.</figcaption>\n"
                  : " Your own actions are included in these: record with detail: regions to see "
                    "them separately.</figcaption>\n",
          out);
    put_key(out, &bar);
    fputs("</figure>\n", out);
}
