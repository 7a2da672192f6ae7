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

/* Without memory, the value is only not repeated. */
void swi_summary_line_add(struct swi_summary_lines *lines, struct swi_text *text,
                          const struct sw_summary_value *summary)
{
    line_add(text, summary->name, summary->value, summary->text);
    struct swi_summary_line *line = summary->text
                                        ? NULL
                                        : swi_map_item(&lines->names, &lines->item, sizeof *line,
                                                       summary->name, strlen(summary->name));
    if (line)
        *line = (struct swi_summary_line){.value = summary->value};
}

void swi_summary_lines_note(struct swi_summary_lines *lines, const struct sw_record *record)
{
    for (size_t i = 0; lines->names.count && i < record->metrics.count; i++) {
        const char *name = sw_record_metric(record, i)->name;
        ptrdiff_t number = swi_map_find(&lines->names, name, strlen(name));
        if (number >= 0)
            lines->item[number].hidden = true;
    }
}

void swi_summary_lines_end(struct swi_summary_lines *lines, struct swi_text *text)
{
    for (size_t i = 0; i < lines->names.count; i++)
        if (lines->item[i].hidden)
            line_add(text, lines->names.name[i].text, lines->item[i].value, NULL);
}

void swi_summary_lines_free(struct swi_summary_lines *lines)
{
    swi_map_free(&lines->names);
    free(lines->item);
    *lines = (struct swi_summary_lines){0};
}
