/* SPDX-License-Identifier: MIT */
#include "tools/html/page_table.h"

#include "tools/output/text.h"

#include <string.h>

void put_cell(FILE *out, const char *text)
{
    fprintf(out, "<td>%s</td>", text);
}

void put_time(FILE *out, double ns)
{
    char text[TEXT_NUMBER];
    put_cell(out, text_time(text, ns));
}

/* A row, and whether it is the first of its phase. */
struct line {
    const struct sw_report *report;
    const struct sw_report_row *row; /* NULL for the line of headers */
    bool first;
};

static void put_name(FILE *out, const struct sw_column *column, const struct line *line)
{
    bool phase = column->offset == offsetof(struct sw_report_row, phase);
    fputs("<td class=\"name\">", out);
    if (line->first || !phase)
        text_html(out, sw_column_text(column, line->row), 0);
    fputs("</td>", out);
}

static void put_value(FILE *out, const struct sw_column *column, const struct line *line)
{
    char text[TEXT_NUMBER];
    double value = sw_column_number(column, line->row);
    if (column->kind == SW_COLUMN_TEXT)
        put_name(out, column, line);
    else if (column->kind == SW_COLUMN_COUNT)
        put_cell(out, text_count(text, value));
    else if (column->kind == SW_COLUMN_DURATION)
        put_time(out, value);
    else if (column->kind == SW_COLUMN_RATIO)
        put_cell(out, text_share(text, value));
    else
        put_cell(out, text_rate(text, value));
}

static void put_header(FILE *out, const struct sw_column *column, const struct line *line)
{
    (void)line;
    fprintf(out, "<th%s>", column->kind == SW_COLUMN_TEXT ? " class=\"name\"" : "");
    text_html(out, column->brief, 0);
    fputs("</th>", out);
}

/* Self times are shown only if the log has every region. */
static bool is_shown(const struct sw_column *column, const struct collected *run)
{
    bool own = column->offset == offsetof(struct sw_report_row, self_ns);
    return collect_holds(column) && (run->regions || run->replay.results_only || !own);
}

/* Puts names and counts first, then measured values. */
static void put_columns(FILE *out, const struct collected *run, const struct line *line,
                        void (*put)(FILE *, const struct sw_column *, const struct line *))
{
    for (int measured = 0; measured < 2; measured++)
        for (size_t i = 0; i < line->report->column_count; i++) {
            const struct sw_column *column = sw_report_column(line->report, i);
            if (is_shown(column, run) && (column->kind > SW_COLUMN_COUNT) == measured)
                put(out, column, line);
        }
}

void put_table(FILE *out, const struct collected *run, const struct collected_report *collected)
{
    const char *before = "";
    struct line line = {.report = &collected->report};
    fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
    put_columns(out, run, &line, put_header);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < collected->count; i++) {
        const struct sw_report_row *row = &collected->row[i].row;
        line.row = row;
        line.first = strcmp(before, row->phase) != 0;
        fputs(line.first ? "<tr class=\"first\">" : "<tr>", out);
        put_columns(out, run, &line, put_value);
        fputs("</tr>\n", out);
        before = row->phase;
    }
    fputs("</tbody>\n</table></div>\n", out);
}
