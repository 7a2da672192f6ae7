/* SPDX-License-Identifier: MIT */
/* csv - the results of each fit as a CSV file (RFC 4180), for spreadsheets and scripts. */
#include "sinks/common/grid.h"
#include "sinks/common/notes.h"

#include <stepwatch/sink.h>

#include <string.h>

struct csv {
    const char *path;
    const char *columns;
    struct sw_sink *sink;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct csv, path),
     .help =
         "file to write, - is stdout; throughput.csv or simpleprofiler.csv, by mode, if not said"},
    {.name = "columns",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct csv, columns),
     .fallback = "standard",
     .choices = "standard|all",
     .help = "all adds exact samples/second, self time, min, median, percentiles and max"},
    {.name = NULL},
};

static int csv_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct csv *csv = state;
    (void)err;
    csv->sink = sink;
    if (!csv->path)
        csv->path = sink->run->mode == SW_MODE_SIMPLE ? "simpleprofiler.csv" : "throughput.csv";
    return 0;
}

static void header_add(struct text *text, const struct grid *grid)
{
    for (size_t k = 0; k < grid->columns; k++)
        text_addf(text, "%s%s", k ? "," : "", grid->column[k].title);
    text_add(text, "\n");
}

static void row_add(struct text *text, const struct grid *grid, size_t row)
{
    for (size_t k = 0; k < grid->columns; k++) {
        if (k)
            text_add(text, ",");
        text_csv(text, grid_cell(grid, row, k), k < 2);
    }
    text_add(text, "\n");
}

static int csv_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct csv *csv = state;
    struct text text = {0};
    struct grid grid;
    char path[4096];
    bool made = grid_results(&grid, record->report, strcmp(csv->columns, "all") == 0);
    if (made)
        header_add(&text, &grid);
    for (size_t row = 0; made && row < grid.rows; row++)
        row_add(&text, &grid, row);
    notes_path(path, sizeof path, csv->path, record->report->fit);
    int rc = made && !text.failed ? sw_sink_replace(csv->sink, path, text.at, text.size, err)
                                  : sw_error_set(err, SW_ENOMEM, "no memory for the table");
    grid_fini(&grid);
    text_fini(&text);
    return rc;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "csv",
    .version = "1.0",
    .license = "MIT",
    .summary = "the results of each fit as a CSV file",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16,
    .options = options,
    .state_size = sizeof(struct csv),
    .open = csv_open,
    .record = csv_record,
};
