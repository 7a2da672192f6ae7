/* SPDX-License-Identifier: MIT */
/* markdown - writes the report of each fit as a markdown table, and what was logged besides
 * numbers, for an issue, a wiki or a notebook. */
#include "sinks/common/markdown_report.h"
#include "sinks/common/findings_notes.h"
#include "sinks/common/first_rank.h"
#include "sinks/common/fit_file.h"
#include "sinks/common/notes.h"
#include "sinks/common/ranks_report.h"
#include "sinks/common/forms/form.h"
#include "sinks/markdown/values_section.h"

#include <string.h>

struct markdown {
    const char *path;
    bool advice;
    struct swi_form_options form;
    struct swi_call_paths paths;
    const char *ranks;
    struct sw_sink *sink;
    struct values_section values;
    struct swi_text report; /* the last one, without its values */
    int fit;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct markdown, path),
     .fallback = "-",
     .help = "file to write; - is stdout"},
    SWI_ADVICE_OPTION(struct markdown),
    SWI_FORM_OPTIONS(struct markdown),
    SWI_RANKS_OPTION(struct markdown),
    {.name = NULL},
};

/* Another profiler's table has no findings. */
static bool has_advice(const struct markdown *markdown)
{
    return markdown->advice && strcmp(markdown->form.style, "stepwatch") == 0;
}

/* Nor values. */
static bool has_values(const struct markdown *markdown)
{
    return strcmp(markdown->form.style, "stepwatch") == 0;
}

static uint32_t markdown_select(const void *state, const struct sw_run *run)
{
    const struct markdown *markdown = state;
    (void)run;
    uint32_t wants =
        SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS) | swi_form_wants(&markdown->form);
    if (has_advice(markdown))
        wants |= SW_WANT(SW_RECORD_FINDINGS);
    if (has_values(markdown))
        wants |= SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_SUMMARY) | SW_WANT(SW_RECORD_ALERT);
    return wants;
}

/* In a paragraph of their own. */
static void advice_add(struct swi_text *text, const struct sw_report *report)
{
    if (!report->show_accounting || !swi_findings_count(report))
        return;
    swi_text_put(text, "\n");
    swi_findings_notes(text, report, swi_escape_markdown);
}

static int markdown_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct markdown *markdown = state;
    (void)err;
    markdown->sink = sink;
    if (swi_is_left_to_first(sink->run, markdown->path, markdown->ranks))
        sw_sink_want(sink, 0);
    return 0;
}

static void table_add(struct swi_text *text, const struct swi_form_of_report *form)
{
    struct swi_grid grid;
    if (swi_form_grid(&grid, form, SWI_FORMATTED, swi_escape_markdown))
        swi_markdown_table(text, &grid, true, SIZE_MAX);
    else
        text->failed = true;
    swi_grid_fini(&grid);
}

static void notes_add(struct swi_text *text, const struct swi_form_of_report *form)
{
    if (form->style && form->report.interrupted)
        swi_text_put(text, "\n");
    if (form->style)
        swi_notes_interrupted(text, &form->report);
    else
        swi_markdown_notes(text, &form->report);
}

static int ranks_write(struct markdown *markdown, const struct sw_ranks *ranks,
                       struct sw_error *err)
{
    struct swi_text text = {0}, path = {0};
    struct swi_form_of_report form = {0};
    struct sw_report report;
    /* On stdout, a table right below other text would belong to it. */
    swi_text_put(&text, strcmp(markdown->path, "-") == 0 ? "\n" : "");
    if (swi_ranks_report_init(&report, ranks) && swi_form_init_own(&form, &markdown->form, &report))
        table_add(&text, &form);
    else
        text.failed = true;
    swi_form_fini(&form);
    swi_ranks_report_fini(&report);
    swi_text_put(&text, "\n");
    swi_ranks_notes(&text, ranks, swi_escape_markdown, has_advice(markdown));
    swi_ranks_path(&path, markdown->path);
    int rc = swi_fit_file_write(markdown->sink, path.data ? path.data : markdown->path, ranks->fit,
                                &text, err);
    swi_text_free(&path);
    return rc;
}

/* Writes the last report again with the values. On stdout it was printed, so only they are. */
static int values_write(struct markdown *markdown, struct sw_error *err)
{
    struct swi_text text = {0};
    bool printed = strcmp(markdown->path, "-") == 0;
    if (!printed && markdown->report.size)
        swi_text_add(&text, markdown->report.data, markdown->report.size);
    values_section_add(&text, &markdown->values);
    if (printed && text.size)
        swi_text_put(&text, "\n");
    if (text.size || text.failed)
        return swi_fit_file_write(markdown->sink, markdown->path, markdown->fit, &text, err);
    swi_text_free(&text);
    return 0;
}

static int report_write(struct markdown *markdown, const struct sw_record *record,
                        struct sw_error *err)
{
    struct swi_text *text = &markdown->report;
    struct swi_form_of_report form;
    text->size = 0;
    markdown->fit = record->report->fit;
    bool news_only = record->report->amended && strcmp(markdown->path, "-") == 0;
    struct sw_report news = swi_report_news(record->report);
    if (swi_form_init(&form, &markdown->form, news_only ? &news : record->report, &markdown->paths,
                      record->time_ns))
        table_add(text, &form);
    else
        text->failed = true;
    if (!news_only && !text->failed)
        notes_add(text, &form);
    if (!news_only && has_advice(markdown))
        advice_add(text, record->report);
    swi_form_fini(&form);
    swi_call_paths_reported(&markdown->paths, markdown->sink, record->report);
    swi_first_rank_note(text, markdown->sink->run, markdown->path, markdown->ranks);
    struct swi_text copy = {.failed = text->failed};
    if (text->size)
        swi_text_add(&copy, text->data, text->size);
    if (!news_only)
        values_section_add(&copy, &markdown->values);
    return swi_fit_file_write(markdown->sink, markdown->path, markdown->fit, &copy, err);
}

static int markdown_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct markdown *markdown = state;
    if (record->type == SW_RECORD_RANKS)
        return record->ranks->complete ? ranks_write(markdown, record->ranks, err) : 0;
    if (record->type == SW_RECORD_REPORT)
        return report_write(markdown, record, err);
    swi_call_paths_take(&markdown->paths, markdown->sink->run, record);
    values_section_take(&markdown->values, record);
    return 0;
}

/* Writes what came after the report of the last fit, such as its summary. */
static int markdown_close(void *state, struct sw_error *err)
{
    struct markdown *markdown = state;
    int rc = markdown->values.news ? values_write(markdown, err) : 0;
    values_section_fini(&markdown->values);
    swi_call_paths_fini(&markdown->paths);
    swi_text_free(&markdown->report);
    return rc;
}

static void markdown_check(const void *state, struct sw_sink_check *check)
{
    const struct markdown *markdown = state;
    swi_form_check(&markdown->form, check);
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "markdown",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as a markdown table",
    .wants = SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS) | SW_WANT(SW_RECORD_FINDINGS) |
             SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_SUMMARY) | SW_WANT(SW_RECORD_ALERT) |
             SWI_CALL_PATHS_WANTS,
    .values = SW_WANT_VALUE(SW_VALUE_TEXT) | SW_WANT_VALUE(SW_VALUE_TABLE),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 1024,
    .options = options,
    .state_size = sizeof(struct markdown),
    .open = markdown_open,
    .record = markdown_record,
    .close = markdown_close,
    .check = markdown_check,
    .select = markdown_select,
};
