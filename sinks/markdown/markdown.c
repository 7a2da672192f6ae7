/* SPDX-License-Identifier: MIT */
/* markdown - the report of each fit as a markdown table, for an issue, a wiki, a notebook. */
#include "sinks/common/markdown_report.h"
#include "sinks/common/first_rank.h"
#include "sinks/common/fit_file.h"

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

static int markdown_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct markdown *markdown = state;
    struct swi_text text = {0};
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
    .wants = SW_WANT(SW_RECORD_REPORT),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16,
    .options = options,
    .state_size = sizeof(struct markdown),
    .open = markdown_open,
    .record = markdown_record,
};
