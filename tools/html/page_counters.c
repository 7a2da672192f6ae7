/* SPDX-License-Identifier: MIT */
#include "tools/html/page_counters.h"

#include "tools/output/text.h"

#include <math.h>
#include <string.h>

static void put_header(FILE *out, const char *before, const char *name, const char *after)
{
    fprintf(out, "<th>%s", before);
    text_html(out, name, 0);
    fprintf(out, "%s</th>", after);
}

/* A peak has no part of its own, and its largest value is not a sum. */
static void put_headers(FILE *out, const struct collected_report *report)
{
    fputs("<thead><tr><th class=\"name\">Phase</th><th class=\"name\">Action</th>", out);
    for (size_t i = 0; i < report->counters; i++) {
        const struct collected_counter *counter = &report->counter[i];
        put_header(out, "", counter->name, counter->peak ? ", most" : "");
        if (counter->peak)
            continue;
        put_header(out, "self ", counter->name, "");
        put_header(out, "", counter->name, " / call");
    }
    fputs("</tr></thead>\n", out);
}

static void put_use(FILE *out, const json_t *value, double calls, const char *unit)
{
    char text[TEXT_NUMBER];
    bool known = json_is_integer(value) && (json_integer_value(value) != INT64_MAX || calls == 1);
    double use = known ? (double)json_integer_value(value) / calls : NAN;
    fprintf(out, "<td>%s</td>", text_use(text, use, unit));
}

static void put_row(FILE *out, const struct collected_report *report,
                    const struct collected_row *row, bool first)
{
    fputs(first ? "<tr class=\"first\"><td class=\"name\">" : "<tr><td class=\"name\">", out);
    text_html(out, first ? row->row.phase : "", 0);
    fputs("</td><td class=\"name\">", out);
    text_html(out, row->row.action, 0);
    fputs("</td>", out);
    for (size_t i = 0; i < report->counters; i++) {
        const struct collected_counter *counter = &report->counter[i];
        const json_t *use = json_object_get(row->counters, counter->name);
        put_use(out, json_array_get(use, 0), 1, counter->unit);
        if (counter->peak)
            continue;
        put_use(out, json_array_get(use, 1), 1, counter->unit);
        put_use(out, json_array_get(use, 0), (double)row->row.calls, counter->unit);
    }
    fputs("</tr>\n", out);
}

void put_counters(FILE *out, const struct collected_report *report)
{
    const char *before = "";
    if (!report->counters)
        return;
    fputs("<h3>Counters</h3>\n<div class=\"wide\"><table>\n", out);
    put_headers(out, report);
    fputs("<tbody>\n", out);
    for (size_t i = 0; i < report->count; i++) {
        const struct collected_row *row = &report->row[i];
        if (!json_object_size(row->counters))
            continue;
        put_row(out, report, row, strcmp(before, row->row.phase) != 0);
        before = row->row.phase;
    }
    fputs("</tbody>\n</table></div>\n", out);
}
