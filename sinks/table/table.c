/* SPDX-License-Identifier: MIT */
/* table - the report of each fit for people, and a line that tells how far the loop is while it
 * runs. */
#include "sinks/table/table.h"
#include "sinks/common/notes.h"

#include <stdlib.h>
#include <string.h>

struct table {
    const char *path;
    bool plain;
    const char *columns;
    const char *live_mode;
    int64_t interval_ns;
    struct sw_sink *sink;
    struct live live;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct table, path),
     .fallback = "-",
     .help = "file to write, - is stdout"},
    {.name = "plain",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct table, plain),
     .fallback = "false",
     .help = "columns without rules, the form that scripts expect"},
    {.name = "columns",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct table, columns),
     .fallback = "standard",
     .choices = "standard|all",
     .help = "all adds exact samples/second, self time, min, median, percentiles and max"},
    {.name = "live",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct table, live_mode),
     .fallback = "auto",
     .choices = "auto|on|off",
     .help = "a line on stderr while the loop runs; auto: where that is a terminal"},
    {.name = "interval",
     .type = SW_OPTION_DURATION,
     .offset = offsetof(struct table, interval_ns),
     .fallback = "200ms",
     .min = 0.01,
     .max = 3600,
     .help = "between two drawings of that line"},
    {.name = NULL},
};

static int table_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct table *table = state;
    (void)err;
    table->sink = sink;
    live_init(&table->live, table->live_mode, table->interval_ns);
    if (!table->live.stream)
        sw_sink_want(sink, SW_WANT(SW_RECORD_REPORT));
    return 0;
}

/* Names are the user's: what would move a terminal's cursor is shown instead of done. */
static bool names_escape(struct grid *grid)
{
    for (size_t i = 0; i < grid->rows; i++) {
        char **cell = &grid->cell[i * grid->columns + 1];
        struct text text = {0};
        text_terminal(&text, *cell);
        if (text.failed)
            return false;
        if (!text.at)
            continue;
        free(*cell);
        *cell = text.at;
    }
    return true;
}

static bool locale_is_utf8(void)
{
    const char *vars[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(vars[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

static void table_add(const struct table *table, struct text *text, const struct grid *grid)
{
    text_add(text, "\nProfiling Results:\n");
    if (table->plain || !table_boxed(text, grid, locale_is_utf8()))
        table_plain(text, grid);
}

static int report_write(struct table *table, const struct sw_report *report, struct sw_error *err)
{
    struct text text = {0};
    struct grid grid;
    char path[4096];
    bool made =
        grid_report(&grid, report, strcmp(table->columns, "all") == 0) && names_escape(&grid);
    if (made) {
        table_add(table, &text, &grid);
        notes_add(&text, report);
    }
    notes_path(path, sizeof path, table->path, report->fit);
    int rc = made && !text.failed ? sw_sink_replace(table->sink, path, text.at, text.size, err)
                                  : sw_error_set(err, SW_ENOMEM, "no memory for the table");
    grid_fini(&grid);
    text_fini(&text);
    return rc;
}

static int table_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct table *table = state;
    if (record->type == SW_RECORD_STEP)
        live_step(&table->live, record);
    else if (record->type == SW_RECORD_METRICS)
        live_metrics(&table->live, record);
    else {
        live_clear(&table->live);
        return report_write(table, record->report, err);
    }
    return 0;
}

static int table_close(void *state, struct sw_error *err)
{
    struct table *table = state;
    (void)err;
    live_clear(&table->live);
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "table",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as a table on the terminal, and a live line",
    .wants = SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS),
    .queue = SW_QUEUE_DROP_OLDEST,
    .queue_records = 256,
    .options = options,
    .state_size = sizeof(struct table),
    .open = table_open,
    .record = table_record,
    .close = table_close,
};
