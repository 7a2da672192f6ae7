/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/file_lines.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "net/json.h"
#include "sinks/wandb/upload/content/write_json.h"

#include <stdlib.h>
#include <string.h>

/* Adds a line, unless it is stored already. */
static void add_line(struct swi_lines *lines, const char *line)
{
    if (lines->skip) {
        lines->skip--;
        return;
    }
    swi_text_put(&lines->json, lines->count ? "," : "");
    swi_escape_json(&lines->json, line);
    lines->count++;
}

void swi_lines_sent(struct swi_lines *lines)
{
    lines->next += lines->count;
    lines->count = 0;
    lines->json.size = 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_key(struct swi_text *line, const char *name)
{
    swi_escape_json(line, name);
    swi_text_put(line, ":");
}

/* Removes line breaks between tokens of JSON, because they would end the line. */
static void one_line(struct swi_text *line, size_t from)
{
    for (size_t i = from; i < line->size; i++)
        if (line->data[i] == '\n' || line->data[i] == '\r')
            line->data[i] = ' ';
}

static void put_value(struct swi_text *line, const struct swi_item_message *item)
{
    size_t from = line->size;
    swi_wandb_item_json(line, item);
    if (line->size == from)
        swi_text_put(line, "null");
    one_line(line, from);
}

static const struct swi_item_message *item_named(const struct swi_history_message *history,
                                                 const char *name)
{
    for (size_t i = 0; i < history->n_item; i++) {
        const struct swi_item_message *item = history->item[i];
        if (item->n_nested_key <= 1 && strcmp(swi_wandb_item_name(item), name) == 0)
            return item;
    }
    return NULL;
}

int64_t swi_line_step(const struct swi_history_message *history)
{
    struct swi_text text = {0};
    const struct swi_item_message *item = item_named(history, "_step");
    /* Newer versions of the SDK write it only beside the values. */
    int64_t step = !item && history->step ? history->step->num : -1;
    if (item)
        swi_wandb_item_json(&text, item);
    if (text.data && text.size)
        step = strtoll(text.data, NULL, 10);
    swi_text_free(&text);
    return step > INT64_MAX / 2 ? -1 : step;
}

/* Begins the numbering with the first row that is not stored. own: its step in the file. */
static void steps_begin(struct swi_steps *steps, int64_t own)
{
    if (!steps->fixed)
        steps->shift = own < steps->start ? steps->start - own : 0;
    steps->last = steps->start - 1;
    steps->begun = true;
}

/* Returns the step of a row at the service: its own, shifted after those of an earlier process, or
 * the next free one, because steps must increase. A stored row has its step already. */
static int64_t step_of(struct swi_steps *steps, const struct swi_history_message *history,
                       bool stored)
{
    int64_t own = swi_line_step(history);
    if (own < 0)
        own = steps->last - steps->shift + 1;
    if (!steps->begun && !stored)
        steps_begin(steps, own);
    int64_t step = own + steps->shift;
    steps->last = step > steps->last ? step : steps->last + 1;
    if (stored && steps->fixed && steps->last >= steps->start)
        steps->last = steps->start - 1;
    return steps->last;
}

static void put_runtime(struct swi_text *line, const struct swi_item_message *item, double before_s)
{
    json_t *own = swi_item_value(item);
    swi_text_put(line, "\"_runtime\":");
    swi_number_exact(line, before_s + json_number_value(own));
    swi_text_put(line, ",");
    json_decref(own);
}

bool swi_line_history(struct swi_lines *lines, struct swi_steps *steps,
                      const struct swi_history_message *history, bool stored)
{
    struct swi_text line = {0};
    const struct swi_item_message *step = item_named(history, "_step");
    const struct swi_item_message *runtime =
        steps->runtime_s > 0 ? item_named(history, "_runtime") : NULL;
    swi_text_put(&line, "{");
    if (runtime)
        put_runtime(&line, runtime, steps->runtime_s);
    for (size_t i = 0; i < history->n_item; i++) {
        const struct swi_item_message *item = history->item[i];
        if (item == step || item == runtime || item->n_nested_key > 1)
            continue;
        put_key(&line, swi_wandb_item_name(item));
        put_value(&line, item);
        swi_text_put(&line, ",");
    }
    size_t nested = line.size;
    swi_nested_put(&line, history->item, history->n_item);
    one_line(&line, nested);
    swi_text_put(&line, "\"_step\":");
    swi_text_integer(&line, step_of(steps, history, stored));
    swi_text_put(&line, "}");
    bool fits = line.size <= SWI_LINE_MAX && !line.failed;
    if (fits && !stored)
        add_line(lines, line.data);
    swi_text_free(&line);
    return fits;
}

double swi_line_time(const struct swi_timestamp_message *stamp, double without)
{
    return stamp ? (double)stamp->seconds + stamp->nanos * 1e-9 : without;
}

void swi_line_stats(struct swi_lines *lines, const struct swi_stats_message *stats,
                    double started_s)
{
    struct swi_text line = {0}, key = {0};
    double now_s = swi_line_time(stats->timestamp, 0);
    swi_text_put(&line, "{\"_wandb\":true,\"_timestamp\":");
    swi_number_exact(&line, now_s);
    swi_text_put(&line, ",\"_runtime\":");
    swi_number_exact(&line, started_s > 0 && now_s > started_s ? now_s - started_s : 0);
    for (size_t i = 0; i < stats->n_item; i++) {
        key.size = 0;
        swi_text_put(&key, "system.");
        swi_text_put(&key, swi_wandb_item_name(stats->item[i]));
        swi_text_put(&line, ",");
        put_key(&line, key.data ? key.data : "");
        put_value(&line, stats->item[i]);
    }
    swi_text_put(&line, "}");
    add_line(lines, line.failed || key.failed ? "{}" : line.data);
    swi_text_free(&line);
    swi_text_free(&key);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_time(struct swi_text *text, const struct swi_console *output)
{
    char date[SWI_ISO_DATE];
    if (swi_iso_date(date, output->seconds, output->nanos / 1000, ""))
        swi_text_put(text, date);
}

static void output_add(struct swi_lines *lines, const char *content,
                       const struct swi_console *output)
{
    struct swi_text line = {0};
    bool structured = output->structured;
    swi_text_put(&line, structured ? output->error ? "{\"level\":\"error\",\"ts\":\"" : "{\"ts\":\""
                        : output->error ? "ERROR "
                                        : "");
    put_time(&line, output);
    swi_text_put(&line, structured ? "\",\"content\":" : " ");
    if (structured)
        swi_escape_json(&line, content);
    else
        swi_text_put(&line, content);
    swi_text_put(&line, structured ? "}" : "");
    add_line(lines, line.failed ? "" : line.data);
    swi_text_free(&line);
    if (output->whole)
        fprintf(output->whole, "%s\n", content);
}

static void line_end(struct swi_lines *lines, struct swi_console *output)
{
    struct swi_text *rest = &output->rest;
    while (rest->size && rest->data[rest->size - 1] == '\r')
        rest->data[--rest->size] = '\0';
    const char *shown = rest->data ? strrchr(rest->data, '\r') : NULL;
    output_add(lines, shown ? shown + 1 : rest->data ? rest->data : "", output);
    rest->size = 0;
    if (rest->data)
        rest->data[0] = '\0';
}

void swi_line_output(struct swi_lines *lines, struct swi_console *output,
                     const struct swi_output_raw_message *record)
{
    const char *text = record->line ? record->line : "";
    output->error = record->output_type == 0;
    output->seconds = record->timestamp ? record->timestamp->seconds : 0;
    output->nanos = record->timestamp ? record->timestamp->nanos : 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        swi_text_add(&output->rest, text, (size_t)(end - text));
        line_end(lines, output);
    }
    /* Text without a newline is not a line yet. */
    if (output->rest.size < SWI_LINE_MAX)
        swi_text_put(&output->rest, text);
}

void swi_line_output_end(struct swi_lines *lines, struct swi_console *output)
{
    if (output->rest.size)
        line_end(lines, output);
}
