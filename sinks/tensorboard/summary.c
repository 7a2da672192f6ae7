/* SPDX-License-Identifier: MIT */
/* summary.c - writes the report of a fit: as tables for the Text page, and its figures as scalars,
 * which the HParams page and scripts can compare. */
#include "sinks/tensorboard/summary.h"

#include "core/text/escape.h"
#include "sinks/common/grid.h"
#include "sinks/common/markdown_report.h"
#include "sinks/common/notes.h"
#include "sinks/tensorboard/charts.h"
#include "sinks/tensorboard/event_stream.h"
#include "sinks/tensorboard/tensorboard_sink.h"

#include <math.h>
#include <string.h>

/* The page needs half a second for a table of 64 KiB, and a minute for one of a megabyte. */
enum { TEXT_MAX = 60000 };

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_add(struct swi_text *text, const struct swi_grid *grid)
{
    size_t rows = swi_markdown_table(text, grid, false, TEXT_MAX);
    if (rows < grid->rows)
        swi_text_format(text,
                        "\n%zu more rows are omitted because the page shows long tables slowly. "
                        "The sinks table, markdown and csv have them.\n",
                        grid->rows - rows);
}

/* Each note becomes a paragraph. */
static void notes_below(struct swi_text *text, const struct sw_report *report)
{
    struct swi_text notes = {0};
    swi_notes_dropped(&notes, report);
    swi_notes_accounting(&notes, report, swi_escape_markdown);
    if (report->show_accounting)
        swi_findings_notes(&notes, report, swi_escape_markdown);
    for (const char *c = notes.data ? notes.data : ""; *c;) {
        size_t line = strcspn(c, "\n");
        swi_text_put(text, "\n");
        swi_text_add(text, c, line);
        swi_text_put(text, "\n");
        c += line + (c[line] == '\n');
    }
    swi_text_free(&notes);
}

static void text_write(struct tensorboard *t, const struct sw_record *record, const char *tag,
                       const char *about, const struct swi_grid *grid, bool notes)
{
    struct swi_text text = {0};
    table_add(&text, grid);
    if (notes)
        notes_below(&text, record->report);
    event_stream_describe(t, &t->stream[ROOT], record->wall_s, tag, "%s", about);
    struct sw_tb *tb = event_stream_tb(t, &t->stream[ROOT], record->wall_s);
    if (text.failed)
        sw_sink_lost(t->sink, 1);
    else
        sw_tb_text(tb, tag, record->report->step, text.data);
    swi_text_free(&text);
}

static void texts_write(struct tensorboard *t, const struct sw_record *record)
{
    struct swi_grid grid;
    if (swi_grid_init(&grid, record->report, SWI_FORMATTED, SWI_COLUMNS_STANDARD,
                      swi_escape_markdown))
        text_write(t, record, "profile_report", "The report of the fit.", &grid, true);
    swi_grid_fini(&grid);
    if (swi_grid_init(&grid, record->report, SWI_RAW_MS, SWI_COLUMNS_STANDARD, swi_escape_markdown))
        text_write(t, record, "profile_results",
                   "The report of the fit with plain numbers, in milliseconds.", &grid, false);
    swi_grid_fini(&grid);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void figure(struct tensorboard *t, const struct sw_record *record,
                   const struct sw_report_row *row, const char *what, const char *about,
                   double value)
{
    struct stream *stream = event_stream_of(t, row->phase_id);
    char tag[TAG_MAX];
    bool in_root = event_stream_is_root(stream), is_fit = row->action_id == SW_FIT;
    snprintf(tag, sizeof tag, GROUP_FIT "/%s%s%s_%s", in_root ? row->phase : "",
             in_root && !is_fit ? "_" : "", is_fit ? "" : row->action, what);
    event_stream_describe(t, stream, record->wall_s, tag, about, row->action);
    event_stream_point(t, stream, record->report->step, record->wall_s, tag, value);
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
        figure(t, record, row, "duration_ms",
               "Mean duration of `%s` in milliseconds, over the whole fit.",
               row->action_id == SW_FIT ? row->total_ns * 1e-6 : row->mean_ns * 1e-6);
}

static void overall_figure(struct tensorboard *t, const struct sw_record *record,
                           enum sw_phase phase, const char *name, double samples_per_s)
{
    const struct sw_report_row row = {
        .phase_id = phase, .phase = name, .action = "overall", .action_id = -1};
    if (isfinite(samples_per_s))
        figure(t, record, &row, "samples_per_s",
               "Samples per second `%s`: all of the phase by the time from its start to its end.",
               samples_per_s);
}

static void overall_figures(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_report *report = record->report;
    overall_figure(t, record, SW_PHASE_TRAIN, "train", report->overall_train.samples_per_s);
    overall_figure(t, record, SW_PHASE_VALID, "valid", report->overall_valid.samples_per_s);
}

static void figures_write(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_report news = swi_report_news(record->report);
    for (size_t i = 0; i < news.count && i < ROWS_MAX; i++)
        row_figures(t, record, sw_report_row(&news, i));
    if (!news.amended)
        overall_figures(t, record);
}

void summary_record(struct tensorboard *t, const struct sw_record *record)
{
    if (t->figures == FIGURES_ALL)
        figures_write(t, record);
    charts_update(t, record->report->step, record->wall_s);
    if (t->text)
        texts_write(t, record);
    t->unfinished = record->report->interrupted;
}
