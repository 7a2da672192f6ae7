/* SPDX-License-Identifier: MIT */
/* summary.c - the report of a fit: as tables for the Text page, and its figures as scalars, which
 * the HParams page and scripts can compare. */
#include "sinks/common/grid.h"
#include "sinks/common/notes.h"
#include "sinks/tensorboard/state.h"

#include <math.h>
#include <string.h>

/* The page takes half a second for a table of 64 KiB, a minute for one of a megabyte. */
enum { TEXT_MAX = 60000 };

/* ---- tables -----------------------------------------------------------------------------------
 */

/* The page's Markdown knows no escapes for these two; it does know entities. */
static void cell_add(struct text *text, const char *cell)
{
    struct text escaped = {0};
    text_markdown(&escaped, cell);
    for (const char *c = escaped.at ? escaped.at : ""; *c; c++) {
        if (*c == '\\' && c[1] == '<')
            text_add(text, "&lt;"), c++;
        else if (*c == '\\' && c[1] == '&')
            text_add(text, "&amp;"), c++;
        else if (*c == '\\' && c[1])
            text_add_n(text, c, 2), c++;
        else
            text_add_n(text, c, 1);
    }
    text_fini(&escaped);
}

static void row_add(struct text *text, const struct grid *grid, size_t row)
{
    text_add(text, "|");
    for (size_t k = 0; k < grid->columns; k++) {
        text_add(text, " ");
        cell_add(text, grid_cell(grid, row, k));
        text_add(text, " |");
    }
    text_add(text, "\n");
}

static void head_add(struct text *text, const struct grid *grid)
{
    text_add(text, "|");
    for (size_t k = 0; k < grid->columns; k++)
        text_addf(text, " %s |", grid->column[k].title);
    text_add(text, "\n|");
    for (size_t k = 0; k < grid->columns; k++)
        text_add(text, grid->column[k].numeric ? "---:|" : ":---|");
    text_add(text, "\n");
}

static void table_add(struct text *text, const struct grid *grid)
{
    head_add(text, grid);
    size_t row = 0;
    for (; row < grid->rows && text->size < TEXT_MAX; row++)
        row_add(text, grid, row);
    if (row < grid->rows)
        text_addf(text,
                  "\n%zu more rows are left out: the page shows long tables slowly. The sinks "
                  "table, markdown and csv have them.\n",
                  grid->rows - row);
}

/* Each note in a paragraph of its own. */
static void notes_below(struct text *text, const struct sw_report *report)
{
    struct text notes = {0};
    notes_add(&notes, report);
    for (const char *c = notes.at ? notes.at : ""; *c;) {
        size_t line = strcspn(c, "\n");
        text_add(text, "\n");
        text_add_n(text, c, line);
        text_add(text, "\n");
        c += line + (c[line] == '\n');
    }
    text_fini(&notes);
}

static void text_write(struct tensorboard *t, const struct sw_record *record, const char *tag,
                       const char *about, const struct grid *grid, bool notes)
{
    struct text text = {0};
    table_add(&text, grid);
    if (notes)
        notes_below(&text, record->report);
    stream_describe(t, &t->root, record->wall_s, tag, "%s", about);
    struct sw_tb *tb = stream_tb(t, &t->root, record->wall_s);
    if (text.failed)
        sw_sink_lost(t->sink, 1);
    else
        sw_tb_text(tb, tag, record->report->step, text.at);
    text_fini(&text);
}

static void texts_write(struct tensorboard *t, const struct sw_record *record)
{
    struct grid grid;
    if (grid_report(&grid, record->report, false))
        text_write(t, record, "profile_report", "The report of the fit, for people.", &grid, true);
    grid_fini(&grid);
    if (grid_results(&grid, record->report, false))
        text_write(t, record, "profile_results", "The same with plain numbers: seconds.", &grid,
                   false);
    grid_fini(&grid);
}

/* ---- figures ----------------------------------------------------------------------------------
 */

static void figure(struct tensorboard *t, const struct sw_record *record,
                   const struct sw_report_row *row, const char *what, const char *about,
                   double value)
{
    struct stream *stream = stream_of(t, row->phase_id);
    char tag[TAG_MAX];
    snprintf(tag, sizeof tag, "%s/%s_%s", stream == &t->root ? row->phase : "summary", row->action,
             what);
    if (row->action_id == SW_FIT)
        snprintf(tag, sizeof tag, "fit/%s", what);
    stream_describe(t, stream, record->wall_s, tag, about, row->action);
    stream_point(t, stream, record->report->step, record->wall_s, tag, value);
}

static void row_figures(struct tensorboard *t, const struct sw_record *record,
                        const struct sw_report_row *row)
{
    if (row->rates.count > 0 && isfinite(row->samples_per_s))
        figure(t, record, row, "throughput",
               "Samples per second of `%s`, as in the report: the mean over the batches of the "
               "whole fit.",
               row->samples_per_s);
    if (row->calls > 0)
        figure(t, record, row, "duration", "Mean duration of `%s` in seconds, over the whole fit.",
               row->action_id == SW_FIT ? row->total_ns * 1e-9 : row->mean_ns * 1e-9);
}

void summary_record(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_report *report = record->report;
    for (size_t i = 0; i < report->count && i < ROWS_MAX; i++)
        row_figures(t, record, &report->row[i]);
    if (t->text)
        texts_write(t, record);
    t->unfinished = report->interrupted;
}
