/* SPDX-License-Identifier: MIT */
/* markdown - writes the report of each fit as a markdown table, and what was logged besides
 * numbers, for an issue, a wiki or a notebook. */
#include "core/text/buffer.h"
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "core/text/map.h"
#include "sinks/common/report_output.h"
#include "sinks/common/forms/form.h"
#include "sinks/common/notes.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/value_table.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the section Values: alerts, the summary, tables and texts ------------------------------- */

/* A value that is shown: the newest of its name. */
struct shown_value {
    struct swi_text text; /* Markdown */
    int64_t step;
};

struct shown_values {
    struct swi_map names;
    struct shown_value *item; /* by the number of the name */
};

/* Initialise it as {0}. */
struct values_section {
    struct shown_values summary, tables, texts;
    struct swi_text alerts; /* rows of their table */
    size_t alert_count;
    int fit;   /* that they belong to */
    bool news; /* something came after the section was written */
    bool failed;
};

enum { ROWS_SHOWN = 20, TEXT_SHOWN = 4096, ALERTS_SHOWN = 100 };

/* ---- what is kept ---------------------------------------------------------------------------- */

static void values_clear(struct shown_values *values)
{
    for (size_t i = 0; i < values->names.count; i++)
        swi_text_free(&values->item[i].text);
    free(values->item);
    swi_map_free(&values->names);
    values->item = NULL;
}

/* Returns the empty text of a value; NULL if out of memory. */
static struct swi_text *value_set(struct values_section *section, struct shown_values *values,
                                  const char *name, int64_t step)
{
    struct shown_value *value =
        swi_map_item(&values->names, &values->item, sizeof *value, name, strlen(name));
    section->failed |= !value;
    if (!value)
        return NULL;
    value->text.size = 0;
    value->step = step;
    return &value->text;
}

static void fit_begin(struct values_section *section, int fit)
{
    if (fit == section->fit)
        return;
    values_clear(&section->tables);
    values_clear(&section->texts);
    section->alerts.size = 0;
    section->alert_count = 0;
    section->fit = fit;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Adds a line as it is, since it may be Markdown, without what would control a terminal. */
static void line_put(struct swi_text *to, const char *text, size_t size)
{
    char *line = strndup(text, size);
    if (line)
        swi_escape_terminal(to, line);
    to->failed |= !line;
    free(line);
}

/* As a quotation, because the text may have headings of its own. */
static void text_put(struct swi_text *to, const char *text)
{
    size_t size = strlen(text), shown = swi_utf8_fit(text, TEXT_SHOWN);
    for (const char *at = text, *end = text + shown; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line ? line : end) - at);
        swi_text_put(to, length ? "> " : ">");
        line_put(to, at, length);
        swi_text_put(to, "\n");
        at += length + 1;
    }
    if (shown < size)
        swi_text_format(to, "\n\u2026 %zu more bytes\n", size - shown);
}

static void value_take(struct values_section *section, const struct sw_record *record)
{
    const struct sw_value *value = record->value;
    struct swi_text *text = NULL;
    if (value->table && (text = value_set(section, &section->tables, value->name, record->step)))
        swi_value_table_markdown(text, value->table, ROWS_SHOWN, SIZE_MAX);
    if (value->text && (text = value_set(section, &section->texts, value->name, record->step)))
        text_put(text, value->text);
}

static void summary_take(struct values_section *section, const struct sw_record *record)
{
    const struct sw_summary_value *value = record->summary;
    struct swi_text *text = value_set(section, &section->summary, value->name, record->step);
    if (text && value->text)
        swi_cell_words(text, value->text);
    else if (text)
        swi_text_format(text, "%.6g", value->value);
}

static void alert_take(struct values_section *section, const struct sw_record *record)
{
    if (section->alert_count++ >= ALERTS_SHOWN)
        return;
    swi_text_format(&section->alerts, "| %" PRId64 " | %s | ", record->step,
                    swi_level_word(record->alert->level));
    swi_cell_words(&section->alerts, record->alert->title);
    swi_text_put(&section->alerts, " | ");
    swi_cell_words(&section->alerts, record->alert->text);
    swi_text_put(&section->alerts, " |\n");
}

/* Takes a record of a value, the summary or an alert; others are ignored. Tables, texts and alerts
 * of an earlier fit are forgotten. */
static void values_section_take(struct values_section *section, const struct sw_record *record)
{
    static void (*const take[SW_RECORD_TYPES])(
        struct values_section *, const struct sw_record *) = {[SW_RECORD_VALUE] = value_take,
                                                              [SW_RECORD_SUMMARY] = summary_take,
                                                              [SW_RECORD_ALERT] = alert_take};
    if (record->type >= SW_RECORD_TYPES || !take[record->type])
        return;
    /* Values before the first fit belong to it. */
    fit_begin(section, record->fit ? record->fit : 1);
    section->news = true;
    take[record->type](section, record);
}

/* ---- the section ----------------------------------------------------------------------------- */

static void part_add(struct swi_text *text, const struct swi_text *part)
{
    if (part->size)
        swi_text_add(text, part->data, part->size);
    text->failed |= part->failed;
}

static void alerts_add(struct swi_text *text, const struct values_section *section)
{
    if (!section->alert_count)
        return;
    swi_text_put(text, "\n### Alerts\n\n| Step | Level | Title | Text |\n|---:|:---|:---|:---|\n");
    part_add(text, &section->alerts);
    if (section->alert_count > ALERTS_SHOWN)
        swi_text_format(text, "\n\u2026 %zu more alerts\n", section->alert_count - ALERTS_SHOWN);
}

static void summary_add(struct swi_text *text, const struct shown_values *summary)
{
    if (!summary->names.count)
        return;
    swi_text_put(text, "\n### Summary\n\n| Name | Value |\n|:---|:---|\n");
    for (size_t i = 0; i < summary->names.count; i++) {
        swi_text_put(text, "| ");
        swi_cell_words(text, summary->names.name[i].text);
        swi_text_put(text, " | ");
        part_add(text, &summary->item[i].text);
        swi_text_put(text, " |\n");
    }
}

static void values_add(struct swi_text *text, const struct shown_values *values)
{
    for (size_t i = 0; i < values->names.count; i++) {
        swi_text_put(text, "\n### ");
        swi_cell_words(text, values->names.name[i].text);
        swi_text_format(text, " (step %" PRId64 ")\n\n", values->item[i].step);
        part_add(text, &values->item[i].text);
    }
}

/* Adds the section to a text, if there is anything to show. */
static void values_section_add(struct swi_text *text, struct values_section *section)
{
    section->news = false;
    text->failed |= section->failed;
    if (!section->alert_count && !section->summary.names.count && !section->tables.names.count &&
        !section->texts.names.count)
        return;
    swi_text_put(text, text->size ? "\n## Values\n" : "## Values\n");
    alerts_add(text, section);
    summary_add(text, &section->summary);
    values_add(text, &section->tables);
    values_add(text, &section->texts);
}

static void values_section_fini(struct values_section *section)
{
    values_clear(&section->summary);
    values_clear(&section->tables);
    values_clear(&section->texts);
    swi_text_free(&section->alerts);
}

/* ---- writes the report of each fit as a markdown table --------------------------------------- */

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
    SWI_OPTION(PATH, struct markdown, path, "file to write; - is stdout", .fallback = "-"),
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
    struct swi_text text = {0};
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
    return swi_ranks_file_write(markdown->sink, markdown->path, ranks->fit, &text, err);
}

/* Writes the last report again with the values. On stdout it was printed, so only they are. */
static int values_write(struct markdown *markdown, struct sw_error *err)
{
    SWI_FREED struct swi_text text = {0};
    bool printed = strcmp(markdown->path, "-") == 0;
    if (!printed && markdown->report.size)
        swi_text_add(&text, markdown->report.data, markdown->report.size);
    values_section_add(&text, &markdown->values);
    if (printed && text.size)
        swi_text_put(&text, "\n");
    if (text.size || text.failed)
        return swi_fit_file_write(markdown->sink, markdown->path, markdown->fit, &text, err);
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
