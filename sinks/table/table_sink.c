/* SPDX-License-Identifier: MIT */
/* table - prints the report of each fit, and a line that shows the progress of the loop while it
 * runs. */
#include "sinks/table/table_sink.h"
#include "core/text/escape.h"
#include "sinks/common/forms/form.h"
#include "sinks/common/notes.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/report_output.h"

#include <string.h>
#include <unistd.h>

/* ---- columns aligned right, one blank between, no rules -------------------------------------- */

/* The layout of a pandas data frame. */

/* A column of integers has one more blank before its header and cells. */
static size_t width_of(const struct swi_grid *grid, size_t column)
{
    size_t header = swi_text_width(swi_grid_header(grid, column));
    size_t cells = grid->column[column].width;
    return (header > cells ? header : cells) + swi_grid_is_count(grid, column);
}

static void cell_add(struct swi_text *text, const struct swi_grid *grid, size_t column,
                     const char *cell)
{
    swi_text_put(text, column ? " " : "");
    swi_text_right(text, cell, width_of(grid, column));
}

static void plain_table(struct swi_text *text, const struct swi_grid *grid)
{
    for (size_t column = 0; column < grid->columns; column++)
        cell_add(text, grid, column, swi_grid_header(grid, column));
    swi_text_put(text, "\n");
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++)
            cell_add(text, grid, column, swi_grid_cell(grid, row, column));
        swi_text_put(text, "\n");
    }
}

/* ---- prints the report of each fit --------------------------------------------------- */

#define REPORTS (SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS))
#define LIVE                                                                                       \
    (SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_MARK) |              \
     SW_WANT(SW_RECORD_MONITOR))

struct table {
    const char *path;
    bool plain;
    bool advice;
    struct swi_form_options form;
    struct swi_call_paths paths;
    const char *ranks;
    struct swi_live_options live_options;
    struct sw_sink *sink;
    struct swi_live_view live;
};

static const struct sw_option options[] = {
    SWI_OPTION(PATH, struct table, path, "file to write; - is stdout", .fallback = "-"),
    SWI_OPTION(BOOL, struct table, plain, "print columns without a box, as fastxtend does",
               .fallback = "false"),
    SWI_ADVICE_OPTION(struct table),
    SWI_FORM_OPTIONS(struct table),
    SWI_OPTION_NAMED("header", STRING, struct table, form.header,
                     "in the style torch, a line to print above the table", .fallback = ""),
    SWI_OPTION_NAMED(
        "live", CHOICE, struct table, live_options.mode,
        "how to show the progress of the loop on stderr. on: as a live line, which is redrawn in "
        "place; lines: as whole lines, one below the other; row: as a live line on the last row of "
        "the terminal, where printed text cannot damage it; off: not at all; auto: as on if stderr "
        "is a terminal that can redraw a line, and stdout does not go to the same terminal or the "
        "program prints with sw_print(); otherwise as lines",
        .fallback = "auto", .choices = "auto|on|lines|row|off"),
    SWI_OPTION_NAMED("interval", DURATION, struct table, live_options.interval_ns,
                     "minimum time between two updates of the live line", .fallback = "250ms",
                     .min = 0.01, .max = 3600),
    SWI_OPTION_NAMED("progress", STRING, struct table, live_options.progress,
                     "time between two whole lines; 0s: one line at the end of each epoch; auto: "
                     "after 10s, 30s, 1m, 2m, 5m and 10m, then every 10m",
                     .fallback = "auto"),
    SWI_OPTION_NAMED("metrics", LIST, struct table, live_options.metrics,
                     "metrics to show, at most three (default: losses and accuracies first)"),
    SWI_OPTION_NAMED("title", BOOL, struct table, live_options.title,
                     "also show the live line as the title of the terminal's window",
                     .fallback = "false"),
    SWI_RANKS_OPTION(struct table),
    {.name = NULL},
};

/* Another profiler's table has no findings. */
static uint32_t reports_of(const struct table *table)
{
    bool own = strcmp(table->form.style, "stepwatch") == 0;
    bool advice = table->advice && own && !table->plain;
    return REPORTS | swi_form_wants(&table->form) | (advice ? SW_WANT(SW_RECORD_FINDINGS) : 0);
}

static uint32_t table_select(const void *state, const struct sw_run *run)
{
    const struct table *table = state;
    bool live = strcmp(table->live_options.mode, "off") != 0;
    (void)run;
    return reports_of(table) | (live ? LIVE : 0);
}

static int table_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct table *table = state;
    (void)err;
    table->sink = sink;
    bool is_left = swi_is_left_to_first(sink->run, "-", table->ranks);
    if (is_left)
        table->live_options.mode = "off";
    swi_live_view_init(&table->live, sink, &table->live_options);
    if (is_left && strcmp(table->path, "-") == 0)
        sw_sink_want(sink, 0);
    else if (table->live.kind == SWI_LIVE_OFF)
        sw_sink_want(sink, reports_of(table));
    return 0;
}

static void box_add(const struct table *table, struct swi_text *text, const struct swi_grid *grid,
                    enum swi_columns columns)
{
    bool on_stdout = strcmp(table->path, "-") == 0;
    bool on_terminal = on_stdout && swi_terminal_is(STDOUT_FILENO);
    bool colours = on_stdout && swi_terminal_colours(table->sink, STDOUT_FILENO);
    size_t columns_set = on_stdout ? swi_terminal_columns(table->sink) : 0;
    size_t width = on_terminal   ? swi_terminal_width(table->sink, STDOUT_FILENO)
                   : columns_set ? columns_set
                                 : SIZE_MAX;
    struct swi_fitted_columns view;
    bool fits = swi_fitted_columns_init(&view, grid, columns, width);
    if (table->plain || !fits ||
        !swi_boxed_table(text, grid, &view, swi_terminal_utf8(table->sink), colours))
        plain_table(text, grid);
    else
        swi_fitted_columns_missing(text, &view, grid);
    swi_fitted_columns_fini(&view);
}

static void table_add(const struct table *table, struct swi_text *text,
                      const struct swi_form_of_report *form, const char *title)
{
    struct swi_grid grid;
    swi_text_put(text, title);
    if (swi_form_grid(&grid, form, SWI_FORMATTED, swi_escape_terminal))
        box_add(table, text, &grid, form->columns);
    else
        text->failed = true;
    swi_grid_fini(&grid);
}

/* The table of another profiler has neither our title nor lines below it. */
static void form_add(const struct table *table, struct swi_text *text,
                     const struct swi_form_of_report *form, bool news_only)
{
    if (form->style) {
        swi_form_draw(text, form, &table->form);
        swi_notes_interrupted(text, &form->report);
        return;
    }
    table_add(table, text, form, news_only ? "\nAfter the fit:\n" : "\nProfiling Results:\n");
}

/* What follows a printed fit becomes a separate table. A file gets everything again. */
static int report_write(struct table *table, const struct sw_record *record, struct sw_error *err)
{
    const struct sw_report *whole = record->report;
    bool news_only = whole->amended && strcmp(table->path, "-") == 0;
    struct sw_report news = swi_report_news(whole);
    const struct sw_report *report = news_only ? &news : whole;
    struct swi_text text = {0};
    struct swi_form_of_report form;
    if (swi_form_init(&form, &table->form, report, &table->paths, record->time_ns))
        form_add(table, &text, &form, news_only);
    else
        text.failed = true;
    if (!news_only && !form.style) {
        swi_notes_dropped(&text, report);
        swi_notes_draw(&text, report);
        swi_notes_accounting(&text, report, swi_escape_terminal);
        if (reports_of(table) & SW_WANT(SW_RECORD_FINDINGS) && report->show_accounting)
            swi_findings_notes(&text, report, swi_escape_terminal);
    }
    swi_first_rank_note(&text, table->sink->run, table->path, table->ranks);
    swi_form_fini(&form);
    return swi_fit_file_write(table->sink, table->path, report->fit, &text, err);
}

/* Only at the end of the fit; otherwise the next one would be below it. */
static int ranks_write(struct table *table, const struct sw_ranks *ranks, struct sw_error *err)
{
    struct swi_text text = {0};
    struct swi_form_of_report form = {0};
    struct sw_report report;
    bool made =
        swi_ranks_report_init(&report, ranks) && swi_form_init_own(&form, &table->form, &report);
    if (made)
        table_add(table, &text, &form, "\nAll Ranks:\n");
    text.failed |= !made;
    swi_ranks_notes(&text, ranks, swi_escape_terminal,
                    reports_of(table) & SW_WANT(SW_RECORD_FINDINGS));
    swi_form_fini(&form);
    swi_ranks_report_fini(&report);
    return swi_ranks_file_write(table->sink, table->path, ranks->fit, &text, err);
}

static void live_record(struct table *table, const struct sw_record *record)
{
    swi_live_view_record(&table->live, record);
    if (swi_live_view_needs_no_steps(&table->live, table->sink->run->rolling_average))
        sw_sink_want(table->sink, reports_of(table) | SW_WANT(SW_RECORD_METRICS) |
                                      SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_MONITOR));
}

static int table_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct table *table = state;
    if (record->ranks) {
        swi_live_view_clear(&table->live);
        return record->ranks->complete ? ranks_write(table, record->ranks, err) : 0;
    }
    if (SW_WANT(record->type) & SWI_CALL_PATHS_WANTS) {
        swi_call_paths_take(&table->paths, table->sink->run, record);
        return 0;
    }
    if (record->type != SW_RECORD_REPORT) {
        live_record(table, record);
        return 0;
    }
    swi_live_view_end(&table->live, record->time_ns, record->report->interrupted);
    int rc = report_write(table, record, err);
    swi_call_paths_reported(&table->paths, table->sink, record->report);
    return rc;
}

static void table_check(const void *state, struct sw_sink_check *check)
{
    const struct table *table = state;
    SW_ERROR_SCOPE(err);
    int64_t ns;
    size_t metrics = 0;
    const char *const *metric = table->live_options.metrics;
    while (metric && metric[metrics])
        metrics++;
    swi_form_check(&table->form, check);
    if (metrics > SWI_SHOWN_METRICS)
        sw_sink_mistake(check, "metrics", "more than %d names: the line has room for %d",
                        SWI_SHOWN_METRICS, SWI_SHOWN_METRICS);
    if (!swi_live_view_interval(table->live_options.progress, &ns, &err))
        sw_sink_mistake(check, "progress", "%s %s, or auto", table->live_options.progress,
                        sw_error_text(&err));
}

static int table_close(void *state, struct sw_error *err)
{
    struct table *table = state;
    (void)err;
    swi_live_view_fini(&table->live);
    swi_call_paths_fini(&table->paths);
    return 0;
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "table",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as a table on the terminal, and the progress of the loop",
    .wants = REPORTS | SW_WANT(SW_RECORD_FINDINGS) | LIVE | SWI_CALL_PATHS_WANTS,
    .queue = SW_QUEUE_DROP_OLDEST,
    .options = options,
    .state_size = sizeof(struct table),
    .open = table_open,
    .record = table_record,
    .close = table_close,
    .check = table_check,
    .select = table_select,
};
