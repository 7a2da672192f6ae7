/* SPDX-License-Identifier: MIT */
#include "sinks/common/grid.h"
#include "core/text/escape.h"
#include "core/text/number.h"

#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a cell is made from. */
struct cell {
    const struct sw_report *report;
    const struct sw_report_row *row;
    const struct sw_report_row *before; /* the row above, or NULL */
    enum swi_form form;
    swi_escape_fn *escape;
};

static bool is_raw(const struct cell *c)
{
    return c->form != SWI_FORMATTED;
}

/* ---- one function for each kind of column ------------------------------------------------------
 */

static void phase_add(struct swi_text *text, const struct cell *c)
{
    bool again = c->before && c->before->phase_id == c->row->phase_id;
    if (is_raw(c) || !again)
        c->escape(text, c->row->phase);
}

/* The report for reading does not say fit twice. */
static void action_add(struct swi_text *text, const struct cell *c)
{
    bool fit = c->row->phase_id == SW_PHASE_FIT && c->row->action_id == SW_FIT;
    if (is_raw(c) || !fit)
        c->escape(text, c->row->action);
}

/* What is not known: a program finds nothing, a reader a dash. */
static void unknown_add(struct swi_text *text, const struct cell *c)
{
    swi_text_put(text, is_raw(c) ? "" : "-");
}

static void time_add(struct swi_text *text, const struct cell *c, double ns)
{
    if (isnan(ns))
        unknown_add(text, c);
    else if (is_raw(c))
        swi_number_exact(text, ns / (c->form == SWI_RAW_MS ? 1e6 : 1e9));
    else
        swi_number_time(text, ns / 1e9);
}

static void calls_add(struct swi_text *text, const struct cell *c)
{
    swi_text_format(text, "%" PRId64, c->row->calls);
}

static void rate_add(struct swi_text *text, const struct cell *c)
{
    swi_number_rate(text, c->row->samples_per_s);
}

static void rate_exact_add(struct swi_text *text, const struct cell *c)
{
    if (isnan(c->row->samples_per_s))
        unknown_add(text, c);
    else
        swi_number_exact(text, c->row->samples_per_s);
}

/* Of the rows that stand for all steps of a phase. */
static double overall_of(const struct sw_report *report, const struct sw_report_row *row)
{
    if (row->calls == 0)
        return NAN;
    if (row->action_id == SW_TRAIN ||
        (row->action_id == SW_STEP && row->phase_id == SW_PHASE_TRAIN))
        return report->overall_train.samples_per_s;
    if (row->action_id == SW_VALID ||
        (row->action_id == SW_STEP && row->phase_id == SW_PHASE_VALID))
        return report->overall_valid.samples_per_s;
    return NAN;
}

static void overall_add(struct swi_text *text, const struct cell *c)
{
    double rate = overall_of(c->report, c->row);
    if (isnan(rate))
        unknown_add(text, c);
    else if (is_raw(c))
        swi_number_exact(text, rate);
    else
        swi_number_overall(text, rate);
}

static void share_add(struct swi_text *text, const struct cell *c)
{
    if (isnan(c->row->share))
        swi_text_put(text, "-");
    else
        swi_number_percent(text, c->row->share);
}

/* ---- the columns -------------------------------------------------------------------------------
 */

#define ROW(field) offsetof(struct sw_report_row, field)

static const struct {
    const char *header;
    void (*add)(struct swi_text *text, const struct cell *c); /* NULL: a time, at `time` */
    size_t time;
} columns[SWI_COLUMN_COUNT] = {
    {"Phase", phase_add, 0},
    {"Action", action_add, 0},
    {"Mean Duration", NULL, ROW(mean_ns)},
    {"Duration Std Dev", NULL, ROW(std_ns)},
    {"Number of Calls", calls_add, 0},
    {"Samples/Second", rate_add, 0},
    {"Total Time", NULL, ROW(total_ns)},
    {"Percent of Total", share_add, 0},
    {"Samples/Second Unrounded", rate_exact_add, 0},
    {"Self Time", NULL, ROW(self_ns)},
    {"Min", NULL, ROW(min_ns)},
    {"Max", NULL, ROW(max_ns)},
    {"P50", NULL, ROW(p50_ns)},
    {"P95", NULL, ROW(p95_ns)},
    {"P99", NULL, ROW(p99_ns)},
    {"Overall Samples/Second", overall_add, 0},
};

enum { STANDARD = 8 };

enum swi_columns swi_columns_of(const char *choice)
{
    return strcmp(choice, "all") == 0 ? SWI_COLUMNS_ALL : SWI_COLUMNS_STANDARD;
}

static void cell_add(struct swi_grid *grid, size_t at, const struct cell *c)
{
    size_t column = at % grid->columns;
    grid->cell[at] = grid->text.size;
    if (columns[column].add)
        columns[column].add(&grid->text, c);
    else
        time_add(&grid->text, c,
                 *(const double *)(const void *)((const char *)c->row + columns[column].time));
    swi_text_add(&grid->text, "", 1);
    size_t width = grid->text.failed ? 0 : swi_text_width(grid->text.data + grid->cell[at]);
    grid->width[column] = width > grid->width[column] ? width : grid->width[column];
}

bool swi_grid_init(struct swi_grid *grid, const struct sw_report *report, enum swi_form form,
                   enum swi_columns chosen, swi_escape_fn *escape)
{
    *grid = (struct swi_grid){.columns = chosen == SWI_COLUMNS_ALL ? SWI_COLUMN_COUNT : STANDARD,
                              .rows = report->count};
    size_t cells = grid->rows * grid->columns;
    grid->cell = calloc(cells + 1, sizeof *grid->cell);
    if (!grid->cell)
        return false;
    for (size_t i = 0; i < cells; i++) {
        size_t row = i / grid->columns;
        struct cell c = {.report = report,
                         .row = &report->row[row],
                         .before = row ? &report->row[row - 1] : NULL,
                         .form = form,
                         .escape = escape};
        cell_add(grid, i, &c);
    }
    return !grid->text.failed;
}

struct sw_report swi_report_news(const struct sw_report *report)
{
    struct sw_report news = *report;
    while (report->amended && news.count && news.row->phase_id != SW_PHASE_AFTER) {
        news.row++;
        news.count--;
    }
    return news;
}

void swi_grid_fini(struct swi_grid *grid)
{
    swi_text_free(&grid->text);
    free(grid->cell);
    *grid = (struct swi_grid){0};
}

const char *swi_grid_header(size_t column)
{
    return columns[column].header;
}

const char *swi_grid_cell(const struct swi_grid *grid, size_t row, size_t column)
{
    return grid->text.data + grid->cell[row * grid->columns + column];
}
