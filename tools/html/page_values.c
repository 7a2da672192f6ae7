/* SPDX-License-Identifier: MIT */
#include "core/text/digest.h"
#include "tools/html/page_parts.h"
#include "tools/log/log_lines.h"
#include "tools/log/value_line.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_SHOWN = 200, ALERTS_SHOWN = 100, WIDTH = 900, HEIGHT = 160 };

/* Images are in the page until it has so much of them; of the rest it has the names. */
#define IMAGES_MAX ((size_t)2 << 20)

struct showing {
    FILE *out;
    int folder;
    size_t image_bytes;
};

/* As the program wrote it: no Markdown, so there is nothing in it that a page would run. */
static void put_lines(FILE *out, const char *text)
{
    char *left = strdup(text), *at = left;
    fputs("<pre>", out);
    for (const char *line; at && (line = strsep(&at, "\n")) != NULL;)
        html_put(out, at ? "%s\n" : "%s", line);
    fputs("</pre>\n", out);
    free(left);
}

/* ---- the summary and alerts ---- */

static void put_value_cell(FILE *out, const struct log_value *value)
{
    if (log_is(value, LOG_STRING))
        html_put(out, "<td class=\"name\">%s</td>", log_text(value));
    else if (log_is(value, LOG_INTEGER))
        fprintf(out, "<td>%" PRId64 "</td>", log_whole(value));
    else if (log_is(value, LOG_REAL))
        fprintf(out, "<td>%.6g</td>", log_digits(value, 0));
    else if (log_is(value, LOG_TRUE) || log_is(value, LOG_FALSE))
        fprintf(out, "<td>%s</td>", log_is(value, LOG_TRUE) ? "true" : "false");
    else
        fputs("<td></td>", out);
}

static void put_summary(FILE *out, const struct kept_lines *summary)
{
    if (summary->count == 0)
        return;
    fputs("<h3>Summary</h3>\n", out);
    put_table_begin(out, NULL);
    for (size_t i = 0; i < summary->count; i++) {
        html_put(out, "<tr><th class=\"name\">%s</th>", summary->names.name[i].text);
        put_value_cell(out, summary->line[i]);
        fputs("</tr>\n", out);
    }
    put_table_end(out);
}

static void put_alert(FILE *out, const struct log_value *alert)
{
    html_put(out,
             "<tr><td>%" PRId64 "</td><td class=\"name\">%s</td><td class=\"name\">%s</td>"
             "<td class=\"name\">%s</td></tr>\n",
             log_integer(alert, "step", 0), log_string(alert, "level", ""),
             log_string(alert, "title", ""), log_string(alert, "text", ""));
}

static void put_alerts(FILE *out, const struct kept_lines *alerts)
{
    if (alerts->count == 0)
        return;
    fputs("<h3>Alerts</h3>\n", out);
    put_table_begin(out, "<th>Step</th><th class=\"name\">Level</th><th class=\"name\">Title</th>"
                         "<th class=\"name\">Text</th>");
    for (size_t i = 0; i < alerts->count && i < ALERTS_SHOWN; i++)
        put_alert(out, alerts->line[i]);
    put_table_end(out);
    if (alerts->count > ALERTS_SHOWN)
        fprintf(out, "<p>%zu more alerts</p>\n", alerts->count - ALERTS_SHOWN);
}

/* ---- tables ---- */

static void put_rows(FILE *out, const struct log_value *rows)
{
    int shown = 0;
    for (const struct log_value *row = log_first(rows); row && shown < ROWS_SHOWN; shown++) {
        fputs("<tr>", out);
        for (const struct log_value *cell = log_first(row); cell; cell = log_after(row, cell))
            put_value_cell(out, cell);
        fputs("</tr>\n", out);
        row = log_after(rows, row);
    }
}

static void put_value_table(const struct showing *to, const struct log_value *line)
{
    struct value_file file = {0};
    const struct log_value *rows = value_line_rows(to->folder, line, &file);
    const struct log_value *list = log_get(line, "columns");
    fputs("<div class=\"wide\"><table>\n<thead><tr>", to->out);
    for (const struct log_value *column = log_first(list); column;
         column = log_after(list, column)) {
        bool text = strcmp(log_string(column, "type", ""), "text") == 0;
        html_put(to->out, text ? "<th class=\"name\">%s</th>" : "<th>%s</th>",
                 log_string(column, "name", ""));
    }
    fputs("</tr></thead>\n<tbody>\n", to->out);
    put_rows(to->out, rows);
    put_table_end(to->out);
    if (!rows)
        fputs("<p>The rows are not in the log.</p>\n", to->out);
    if (log_count(rows) > ROWS_SHOWN)
        fprintf(to->out, "<p>%zu more rows</p>\n", log_count(rows) - ROWS_SHOWN);
    value_file_free(&file);
}

/* ---- histograms ---- */

static double edge_of(const struct log_value *edges, size_t i)
{
    return log_number(log_at(edges, i), NAN);
}

/* A bin's height: its values by its width, as the bins may differ. */
static double density_of(const struct log_value *edges, const struct log_value *counts, size_t i)
{
    double width = edge_of(edges, i + 1) - edge_of(edges, i);
    double values = log_number(log_at(counts, i), 0);
    return width > 0 && isfinite(width) ? values / width : 0;
}

static void put_bars(FILE *out, const struct log_value *edges, const struct log_value *counts)
{
    size_t count = log_count(counts);
    double low = edge_of(edges, 0), width = edge_of(edges, count) - low, most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, density_of(edges, counts, i));
    if (!(width > 0) || !isfinite(width) || !(most > 0))
        return;
    fprintf(out, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT + 20);
    for (size_t i = 0; i < count; i++) {
        double x = (edge_of(edges, i) - low) / width * WIDTH;
        double right = (edge_of(edges, i + 1) - low) / width * WIDTH;
        double height = density_of(edges, counts, i) / most * HEIGHT;
        fprintf(out,
                "<rect class=\"inner\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x,
                HEIGHT - height, fmax(right - x - 1, 0.5), height);
    }
    fprintf(out,
            "<text x=\"0\" y=\"%d\">%.4g</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g"
            "</text>\n</svg></figure>\n",
            HEIGHT + 16, low, WIDTH, HEIGHT + 16, low + width);
}

static void put_histogram(const struct showing *to, const struct log_value *line)
{
    const struct log_value *counts = log_get(line, "counts"), *edges = log_get(line, "edges");
    size_t count = log_count(counts);
    int64_t values = 0, nonfinite = log_integer(line, "nonfinite", 0);
    for (size_t i = 0; i < count; i++)
        values += log_whole(log_at(counts, i));
    fprintf(to->out, "<p>%" PRId64 " values", values);
    if (count)
        fprintf(to->out, " from %.6g to %.6g", edge_of(edges, 0), edge_of(edges, count));
    if (nonfinite)
        fprintf(to->out, "; %" PRId64 " are not finite", nonfinite);
    fputs("</p>\n", to->out);
    if (count && log_count(edges) == count + 1)
        put_bars(to->out, edges, counts);
}

/* ---- images ---- */

static const char *media_type(const char *format)
{
    return strcmp(format, "jpg") == 0 ? "jpeg" : strcmp(format, "gif") == 0 ? "gif" : "png";
}

/* Small images are enlarged, so that their pixels can be seen. */
static int shown_width(const struct log_value *picture)
{
    int width = (int)log_integer(picture, "width", 1);
    return width < 1 ? 1 : width >= 200 ? (width > WIDTH ? WIDTH : width) : 200 / width * width;
}

static void put_image(struct showing *to, const struct log_value *picture)
{
    size_t size = 0;
    void *bytes = value_content(to->folder, picture, &size);
    struct swi_text text = {0};
    bool fits = bytes && to->image_bytes + size / 3 * 4 <= IMAGES_MAX;
    if (fits)
        swi_base64_add(&text, bytes, size, SWI_BASE64);
    fputs("<figure class=\"image\">", to->out);
    if (fits && !text.failed && text.size) {
        to->image_bytes += text.size;
        fprintf(to->out, "<img alt=\"\" width=\"%d\" src=\"data:image/%s;base64,%s\">",
                shown_width(picture), media_type(log_string(picture, "format", "")), text.data);
    } else {
        html_put(to->out, "<p>%s</p>", log_string(picture, "file", "not in the log"));
    }
    if (log_string(picture, "caption", NULL))
        html_put(to->out, "<figcaption>%s</figcaption>", log_string(picture, "caption", ""));
    fputs("</figure>\n", to->out);
    swi_text_free(&text);
    free(bytes);
}

static void put_images(struct showing *to, const struct log_value *line)
{
    const struct log_value *list = log_get(line, "pictures");
    fputs("<div class=\"images\">\n", to->out);
    for (const struct log_value *picture = log_first(list); picture;
         picture = log_after(list, picture))
        put_image(to, picture);
    fputs("</div>\n", to->out);
}

/* ---- all of them ---- */

static void put_file(FILE *out, const struct log_value *line)
{
    html_put(out, "<p>%s, %" PRId64 " bytes, SHA-256 %s</p>\n",
             log_string(line, "file", log_string(line, "path", "")), log_integer(line, "bytes", 0),
             log_string(line, "sha256", ""));
}

static void put_value(struct showing *to, const struct log_value *line)
{
    html_put(to->out, "<h4>%s <small>step %" PRId64 "</small></h4>\n", log_string(line, "name", ""),
             log_integer(line, "step", 0));
    switch (value_line_kind(line)) {
    case SW_VALUE_TEXT:
        put_lines(to->out, log_string(line, "text", ""));
        break;
    case SW_VALUE_TABLE:
        put_value_table(to, line);
        break;
    case SW_VALUE_HISTOGRAM:
        put_histogram(to, line);
        break;
    case SW_VALUE_IMAGES:
        put_images(to, line);
        break;
    case SW_VALUE_FILE:
        put_file(to->out, line);
        break;
    default:
        break;
    }
}

void put_values(FILE *out, const struct collected *run)
{
    put_summary(out, &run->summary);
    put_alerts(out, &run->alerts);
    if (run->values.count == 0)
        return;
    struct showing to = {.out = out, .folder = value_folder_open(run->replay.path)};
    fputs("<h3>Values</h3>\n", out);
    for (size_t i = 0; i < run->values.count; i++)
        put_value(&to, run->values.line[i]);
    if (to.folder >= 0)
        close(to.folder);
}
