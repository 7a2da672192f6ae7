/* SPDX-License-Identifier: MIT */
/* markdown - the report of each fit as a markdown table, for an issue, a wiki, a notebook. */
#include "sinks/common/grid.h"
#include "sinks/common/notes.h"

#include <stepwatch/sink.h>

#include <stdlib.h>
#include <string.h>

struct markdown {
    const char *path;
    const char *columns;
    struct sw_sink *sink;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct markdown, path),
     .fallback = "-",
     .help = "file to write, - is stdout"},
    {.name = "columns",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct markdown, columns),
     .fallback = "standard",
     .choices = "standard|all",
     .help = "all adds exact samples/second, self time, min, median, percentiles and max"},
    {.name = NULL},
};

static int markdown_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct markdown *markdown = state;
    (void)err;
    markdown->sink = sink;
    return 0;
}

/* Names are of the user's making: no character of theirs may be markup. */
static bool cells_escape(struct grid *grid)
{
    for (size_t i = 0; i < grid->rows * grid->columns; i++) {
        struct text text = {0};
        text_markdown(&text, grid->cell[i]);
        if (text.failed)
            return false;
        if (!text.at)
            continue;
        free(grid->cell[i]);
        grid->cell[i] = text.at;
    }
    return true;
}

static size_t column_width(const struct grid *grid, size_t k)
{
    size_t width = text_width(grid->column[k].title) + 2;
    for (size_t i = 0; i < grid->rows; i++) {
        size_t cell = text_width(grid_cell(grid, i, k));
        width = cell > width ? cell : width;
    }
    return width;
}

static void fill(struct text *text, const char *what, size_t n)
{
    while (n--)
        text_add(text, what);
}

static void cell_add(struct text *text, const char *cell, size_t width, bool right)
{
    size_t blanks = width - text_width(cell);
    text_add(text, "| ");
    fill(text, " ", right ? blanks : 0);
    text_add(text, cell);
    fill(text, " ", right ? 0 : blanks);
    text_add(text, " ");
}

static void rule_add(struct text *text, size_t width, bool right)
{
    text_add(text, right ? "|" : "|:");
    fill(text, "-", width + 1);
    text_add(text, right ? ":" : "");
}

static void table_add(struct text *text, const struct grid *grid)
{
    size_t width[GRID_COLUMNS_MAX];
    for (size_t k = 0; k < grid->columns; k++) {
        width[k] = column_width(grid, k);
        cell_add(text, grid->column[k].title, width[k], grid->column[k].numeric);
    }
    text_add(text, "|\n");
    for (size_t k = 0; k < grid->columns; k++)
        rule_add(text, width[k], grid->column[k].numeric);
    text_add(text, "|\n");
    for (size_t i = 0; i < grid->rows; i++) {
        for (size_t k = 0; k < grid->columns; k++)
            cell_add(text, grid_cell(grid, i, k), width[k], grid->column[k].numeric);
        text_add(text, "|\n");
    }
}

/* Below a table lines would become rows of it: an empty line ends it. */
static void notes_below(struct text *text, const struct sw_report *report)
{
    if (report->show_accounting)
        text_add(text, "\n");
    notes_add(text, report);
}

static int markdown_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct markdown *markdown = state;
    struct text text = {0};
    struct grid grid;
    char path[4096];
    bool made = grid_report(&grid, record->report, strcmp(markdown->columns, "all") == 0) &&
                cells_escape(&grid);
    if (made) {
        table_add(&text, &grid);
        notes_below(&text, record->report);
    }
    notes_path(path, sizeof path, markdown->path, record->report->fit);
    int rc = made && !text.failed ? sw_sink_replace(markdown->sink, path, text.at, text.size, err)
                                  : sw_error_set(err, SW_ENOMEM, "no memory for the table");
    grid_fini(&grid);
    text_fini(&text);
    return rc;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "markdown",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as a markdown table",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16,
    .options = options,
    .state_size = sizeof(struct markdown),
    .open = markdown_open,
    .record = markdown_record,
};
