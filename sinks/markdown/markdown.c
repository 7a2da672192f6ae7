/* SPDX-License-Identifier: MIT */
/* markdown - the report of each fit as a markdown table, for an issue, a wiki, a notebook. */
#include "sinks/common/markdown_report.h"
#include "sinks/common/first_rank.h"
#include "sinks/common/fit_file.h"
#include "sinks/common/ranks_report.h"

#include <string.h>

struct markdown {
    const char *path;
    const char *columns;
    const char *ranks;
    struct sw_sink *sink;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct markdown, path),
     .fallback = "-",
     .help = "file to write, - is stdout"},
    SWI_COLUMNS_OPTION(struct markdown),
    SWI_RANKS_OPTION(struct markdown),
    {.name = NULL},
};

static int markdown_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct markdown *markdown = state;
    (void)err;
    markdown->sink = sink;
    if (swi_is_left_to_first(sink->run, markdown->path, markdown->ranks))
        sw_sink_want(sink, 0);
    return 0;
}

static int ranks_write(struct markdown *markdown, const struct sw_ranks *ranks,
                       struct sw_error *err)
{
    struct swi_text text = {0}, path = {0};
    struct sw_report report;
    if (swi_ranks_report_init(&report, ranks))
        swi_markdown_report(&text, &report, SWI_FORMATTED, swi_columns_of(markdown->columns));
    else
        text.failed = true;
    swi_ranks_report_fini(&report);
    swi_text_put(&text, "\n");
    swi_ranks_notes(&text, ranks, swi_escape_markdown);
    swi_ranks_path(&path, markdown->path);
    int rc = swi_fit_file_write(markdown->sink, path.data ? path.data : markdown->path, ranks->fit,
                                &text, err);
    swi_text_free(&path);
    return rc;
}

static int markdown_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct markdown *markdown = state;
    struct swi_text text = {0};
    if (record->ranks)
        return record->ranks->complete ? ranks_write(markdown, record->ranks, err) : 0;
    bool news_only = record->report->amended && strcmp(markdown->path, "-") == 0;
    struct sw_report news = swi_report_news(record->report);
    swi_markdown_report(&text, news_only ? &news : record->report, SWI_FORMATTED,
                        swi_columns_of(markdown->columns));
    if (!news_only)
        swi_markdown_notes(&text, record->report);
    swi_first_rank_note(&text, markdown->sink->run, markdown->path, markdown->ranks);
    return swi_fit_file_write(markdown->sink, markdown->path, record->report->fit, &text, err);
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "markdown",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as a markdown table",
    .wants = SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16,
    .options = options,
    .state_size = sizeof(struct markdown),
    .open = markdown_open,
    .record = markdown_record,
};
