/* SPDX-License-Identifier: MIT */
#include "sinks/markdown/values_section.h"

#include "core/text/escape.h"
#include "sinks/common/value_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static size_t whole_characters(const char *text, size_t size)
{
    while (size && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

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
    size_t size = strlen(text), shown = size;
    if (size > TEXT_SHOWN)
        shown = whole_characters(text, TEXT_SHOWN);
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
    static const char *const names[] = {"note", "warning", "error"};
    int level = record->alert->level;
    if (section->alert_count++ >= ALERTS_SHOWN)
        return;
    swi_text_format(&section->alerts, "| %" PRId64 " | %s | ", record->step,
                    names[level < 0   ? 0
                          : level > 2 ? 2
                                      : level]);
    swi_cell_words(&section->alerts, record->alert->title);
    swi_text_put(&section->alerts, " | ");
    swi_cell_words(&section->alerts, record->alert->text);
    swi_text_put(&section->alerts, " |\n");
}

void values_section_take(struct values_section *section, const struct sw_record *record)
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

void values_section_add(struct swi_text *text, struct values_section *section)
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

void values_section_fini(struct values_section *section)
{
    values_clear(&section->summary);
    values_clear(&section->tables);
    values_clear(&section->texts);
    swi_text_free(&section->alerts);
}
