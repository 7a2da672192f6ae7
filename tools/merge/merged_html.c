/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged_html.h"
#include "tools/merge/merged_cells.h"
#include "tools/output/text.h"
#include "tools/html/page_frame.h"

#include <inttypes.h>
#include <string.h>

/* A chart has a bar for each rank or node, from the left. If there are more than this, it has one
 * for every second, and so on. */
enum { BARS = 256, WIDTH = 1024, HEIGHT = 120 };

static void name_put(FILE *out, const char *name)
{
    fputs("<td class=\"name\">", out);
    text_html(out, name, 0);
    fputs("</td>", out);
}

/* Of a phase with several rows of durations, the first has its name. */
static void row_put(FILE *out, const struct merged_sheet *sheet, const struct merged_row *row,
                    bool first)
{
    const struct merged *merged = sheet->merged;
    merged_cells cell;
    sheet_cells(sheet, row, swi_escape_none, cell);
    fputs(first && !sheet->uses ? "<tr class=\"first\">" : "<tr>", out);
    name_put(out, first || sheet->uses ? merged_phase(merged, row) : "");
    name_put(out, merged_action(merged, row));
    if (sheet_shows(sheet, MERGED_NAMES - 1))
        name_put(out, merged_shape(merged, row));
    for (int c = MERGED_NAMES; c < sheet->columns; c++) {
        fputs("<td>", out);
        text_html(out, cell[c], 0);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void sheet_put(FILE *out, const char *title, struct merged_sheet sheet)
{
    int phase = -1;
    fprintf(out, "<h3>%s</h3>\n<div class=\"wide\"><table>\n<thead><tr>", title);
    for (int c = 0; c < sheet.columns; c++)
        if (sheet_shows(&sheet, c))
            fprintf(out, "<th%s>%s</th>", c < MERGED_NAMES ? " class=\"name\"" : "",
                    sheet_header(&sheet, c));
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < sheet.rows->count; i++) {
        const struct merged_row *row = &sheet.rows->item[i];
        row_put(out, &sheet, row, row->phase != phase);
        phase = row->phase;
    }
    fputs("</tbody>\n</table></div>\n", out);
}

/* The first sentences are the answer, followed by what is missing. */
static void note_put(void *arg, const char *sentence)
{
    FILE *out = arg;
    fputs("<p class=\"note\">", out);
    text_html(out, sentence, 0);
    fputs("</p>\n", out);
}

/* ---- the ranks beside each other ---- */

static double work_of(const struct merged *merged, size_t rank)
{
    const struct columns *columns = &merged->columns;
    double sum = 0;
    for (size_t a = 0; a < columns->actions; a++)
        for (size_t b = 0; b < columns->blocks; b++)
            if (!merged_waits(merged, columns->action[a].name))
                sum += columns->action[a].value[rank * columns->blocks + b];
    return columns->blocks ? sum / (double)columns->blocks : 0;
}

/* Returns the slowest of the ranks that one bar stands for. */
static double bar_of(const struct merged *merged, size_t bar, size_t each, size_t *slowest)
{
    double most = -1;
    for (size_t i = bar * each; i < (bar + 1) * each && i < merged->columns.read; i++) {
        double work = work_of(merged, i);
        if (work > most) {
            most = work;
            *slowest = i;
        }
    }
    return most;
}

static void bars_put(FILE *out, const struct merged *merged, size_t bars, size_t each, double most)
{
    double wide = (double)WIDTH / (double)bars;
    for (size_t b = 0; b < bars; b++) {
        size_t rank = 0;
        char time[TEXT_NUMBER];
        double work = bar_of(merged, b, each, &rank), high = most > 0 ? HEIGHT * work / most : 0;
        fprintf(out,
                "<rect class=\"inner\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
                "<title>rank %" PRId64 " (",
                (double)b * wide, HEIGHT - high, wide > 3 ? wide - 1 : wide, high,
                merged->log[rank].rank);
        text_html(out, merged->log[rank].host, 0);
        fprintf(out, "): %s</title></rect>\n", text_time(time, work));
    }
}

static void chart_put(FILE *out, const struct merged *merged)
{
    size_t ranks = merged->columns.read, each = (ranks + BARS - 1) / BARS, slowest;
    if (ranks < 2 || !merged->columns.actions)
        return;
    size_t bars = (ranks + each - 1) / each;
    double most = 0;
    for (size_t b = 0; b < bars; b++) {
        double work = bar_of(merged, b, each, &slowest);
        most = work > most ? work : most;
    }
    char time[TEXT_NUMBER];
    fputs("<h3>Work of each rank in a training step</h3>\n<figure>\n", out);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Work of each rank\">\n",
            WIDTH, HEIGHT);
    bars_put(out, merged, bars, each, most);
    fprintf(out,
            "</svg>\n<figcaption>From rank 0 at the left; the highest bar is %s. Time of waiting "
            "for other ranks is not in it.",
            text_time(time, most));
    if (each > 1)
        fprintf(out, " Each bar is the slowest of %zu ranks.", each);
    fputs("</figcaption>\n</figure>\n", out);
}

void merged_html(FILE *out, const struct merged *merged)
{
    page_begin(out);
    fputs("<section>\n<h1>", out);
    text_html(out, *merged->log[0].name ? merged->log[0].name : "run", 0);
    fprintf(out, "</h1>\n<p>%zu ranks", merged->count);
    if (*merged->log[0].job) {
        fputs(" of job ", out);
        text_html(out, merged->log[0].job, 0);
    }
    fputs("</p>\n", out);
    merged_notes(merged, note_put, out);
    sheet_put(out, "Durations", merged_durations(merged));
    if (merged->uses.rows.count)
        sheet_put(out, "Counters", merged_uses(merged));
    chart_put(out, merged);
    fputs("</section>\n", out);
    page_end(out);
}
