/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/summary_lines.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"

#include <stdlib.h>
#include <string.h>

static void line_add(struct swi_text *text, const char *name, double value, const char *words)
{
    swi_text_put(text, "{\"type\":\"summary\",\"name\":");
    swi_escape_json(text, name);
    swi_text_put(text, ",\"value\":");
    if (words)
        swi_escape_json(text, words);
    else
        swi_number_json(text, value);
    /* A number that JSON does not have is a text, too. */
    swi_text_put(text, words ? ",\"text\":true}\n" : "}\n");
}

static struct swi_summary_line *find(const struct swi_summary_lines *lines, const char *name)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->item[i].name, name) == 0)
            return &lines->item[i];
    return NULL;
}

/* Returns NULL without memory: then the value is only not repeated. */
static struct swi_summary_line *find_or_add(struct swi_summary_lines *lines, const char *name)
{
    struct swi_summary_line *found = find(lines, name);
    if (found)
        return found;
    struct swi_summary_line *grown = realloc(lines->item, (lines->count + 1) * sizeof *grown);
    char *copy = grown ? strdup(name) : NULL;
    if (grown)
        lines->item = grown;
    if (!copy)
        return NULL;
    grown[lines->count] = (struct swi_summary_line){.name = copy};
    return &grown[lines->count++];
}

void swi_summary_line_add(struct swi_summary_lines *lines, struct swi_text *text,
                          const struct sw_summary_value *summary)
{
    struct swi_summary_line *line = summary->text ? NULL : find_or_add(lines, summary->name);
    line_add(text, summary->name, summary->value, summary->text);
    if (!line)
        return;
    line->value = summary->value;
    line->hidden = false;
}

void swi_summary_lines_note(struct swi_summary_lines *lines, const struct sw_record *record)
{
    for (size_t i = 0; lines->count && i < record->metrics.count; i++) {
        struct swi_summary_line *line = find(lines, sw_record_metric(record, i)->name);
        if (line)
            line->hidden = true;
    }
}

void swi_summary_lines_end(struct swi_summary_lines *lines, struct swi_text *text)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->item[i].hidden)
            line_add(text, lines->item[i].name, lines->item[i].value, NULL);
}

void swi_summary_lines_free(struct swi_summary_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->item[i].name);
    free(lines->item);
    *lines = (struct swi_summary_lines){0};
}
