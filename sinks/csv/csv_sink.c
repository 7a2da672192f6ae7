/* SPDX-License-Identifier: MIT */
/* csv - writes the results of each fit to a CSV file (RFC 4180), for spreadsheets and scripts. */
#include "core/text/escape.h"
#include "sinks/common/report_output.h"
#include "sinks/common/forms/form.h"
#include "sinks/common/option_rows.h"

#include <string.h>

struct csv {
    const char *path;
    struct swi_form_options form;
    struct swi_call_paths paths;
    const char *ranks;
    struct sw_sink *sink;
};

static const struct sw_option options[] = {
    SWI_OPTION(PATH, struct csv, path,
               "file to write; - is stdout (default: throughput.csv or simpleprofiler.csv, "
               "depending on mode)"),
    SWI_FORM_OPTIONS(struct csv),
    SWI_RANKS_OPTION(struct csv),
    {.name = NULL},
};

static uint32_t csv_select(const void *state, const struct sw_run *run)
{
    const struct csv *csv = state;
    (void)run;
    return SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS) | swi_form_wants(&csv->form);
}

static int csv_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct csv *csv = state;
    (void)err;
    csv->sink = sink;
    csv->form.for_programs = true;
    if (!csv->path)
        csv->path = sink->run->mode == SW_MODE_SIMPLE ? "simpleprofiler.csv" : "throughput.csv";
    if (swi_is_left_to_first(sink->run, csv->path, csv->ranks))
        sw_sink_want(sink, 0);
    return 0;
}

static void header_add(struct swi_text *text, const struct swi_grid *grid, swi_escape_fn *escape)
{
    for (size_t column = 0; column < grid->columns; column++) {
        swi_text_put(text, column ? "," : "");
        escape(text, swi_grid_header(grid, column));
    }
    swi_text_put(text, "\n");
}

/* Adds a cell. Numbers with commas are quoted. They come from stepwatch, so a minus does not begin
 * a formula. */
static void cell_add(struct swi_text *text, bool is_name, const char *cell, swi_escape_fn *escape)
{
    bool quoted = !is_name && strchr(cell, ',');
    if (is_name)
        escape(text, cell);
    else
        swi_text_format(text, quoted ? "\"%s\"" : "%s", cell);
}

static void table_add(struct swi_text *text, const struct swi_grid *grid, swi_escape_fn *escape)
{
    header_add(text, grid, escape);
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++) {
            swi_text_put(text, column ? "," : "");
            cell_add(text, swi_grid_is_text(grid, column), swi_grid_cell(grid, row, column),
                     escape);
        }
        swi_text_put(text, "\n");
    }
}

/* Returns how to escape names. They are unchanged in a file, but a terminal would obey escape
 * sequences in them, and what is on standard output may reach one through a pipe. */
static swi_escape_fn *escape_for(const char *path)
{
    return strcmp(path, "-") == 0 ? swi_escape_csv_terminal : swi_escape_csv;
}

/* The form has chosen rows and columns; grid.c writes the cells. */
static void form_add(struct swi_text *text, const struct swi_form_of_report *form,
                     swi_escape_fn *escape)
{
    struct swi_grid grid;
    if (swi_form_grid(&grid, form, SWI_RAW, swi_escape_none))
        table_add(text, &grid, escape);
    else
        text->failed = true;
    swi_grid_fini(&grid);
}

/* Writes a report of all ranks without the verdict, which is not a table. */
static int ranks_write(struct csv *csv, const struct sw_ranks *ranks, struct sw_error *err)
{
    struct swi_text text = {0};
    struct swi_form_of_report form = {0};
    struct sw_report report;
    if (swi_ranks_report_init(&report, ranks) && swi_form_init_own(&form, &csv->form, &report))
        form_add(&text, &form, escape_for(csv->path));
    else
        text.failed = true;
    swi_form_fini(&form);
    swi_ranks_report_fini(&report);
    return swi_ranks_file_write(csv->sink, csv->path, ranks->fit, &text, err);
}

static int report_write(struct csv *csv, const struct sw_record *record, struct sw_error *err)
{
    struct swi_text text = {0};
    struct swi_form_of_report form;
    bool news_only = record->report->amended && strcmp(csv->path, "-") == 0;
    struct sw_report news = swi_report_news(record->report);
    if (swi_form_init(&form, &csv->form, news_only ? &news : record->report, &csv->paths,
                      record->time_ns))
        form_add(&text, &form, escape_for(csv->path));
    else
        text.failed = true;
    swi_form_fini(&form);
    swi_call_paths_reported(&csv->paths, csv->sink, record->report);
    return swi_fit_file_write(csv->sink, csv->path, record->report->fit, &text, err);
}

static int csv_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct csv *csv = state;
    if (record->type == SW_RECORD_RANKS)
        return record->ranks->complete ? ranks_write(csv, record->ranks, err) : 0;
    if (record->type == SW_RECORD_REPORT)
        return report_write(csv, record, err);
    swi_call_paths_take(&csv->paths, csv->sink->run, record);
    return 0;
}

static int csv_close(void *state, struct sw_error *err)
{
    struct csv *csv = state;
    (void)err;
    swi_call_paths_fini(&csv->paths);
    return 0;
}

static void csv_check(const void *state, struct sw_sink_check *check)
{
    const struct csv *csv = state;
    swi_form_check(&csv->form, check);
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "csv",
    .version = "1.0",
    .license = "MIT",
    .summary = "the results of each fit as a CSV file",
    .wants = SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS) | SWI_CALL_PATHS_WANTS,
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 1024,
    .options = options,
    .state_size = sizeof(struct csv),
    .open = csv_open,
    .record = csv_record,
    .close = csv_close,
    .check = csv_check,
    .select = csv_select,
};
