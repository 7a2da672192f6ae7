/* SPDX-License-Identifier: MIT */
/* A merge as a page of HTML. */
#include "tools/html/page.h"
#include "tools/merge/merged.h"
#include "tools/merge/merged_tables.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <string.h>

/* A chart has a bar for each rank or node, from the left. If there are more than this, it has one
 * for every second, and so on. */
enum { BARS = 256, WIDTH = 1024, HEIGHT = 120 };

/* ---- the tables ---- */

/* Of a phase with several rows of durations, the first has its name. */
static void row_html(const struct sheet *sheet, size_t line, bool first)
{
    struct swi_text text = {0};
    const struct merged_row *row = &sheet->rows->item[line - 1];
    fputs(first && !row->counter ? "<tr class=\"first\">" : "<tr>", stdout);
    for (int c = 0; c < sheet->columns; c++) {
        bool name = sheet->column[c]->kind == TEXT, hidden = c == 0 && !first && !row->counter;
        html_put(stdout, name ? "<td class=\"name\">%s</td>" : "<td>%s</td>",
                 hidden ? ""
                 : name ? sheet_text(sheet->column[c], row)
                        : sheet_cell(&text, sheet, line, c, swi_escape_none));
    }
    fputs("</tr>\n", stdout);
    swi_text_free(&text);
}

static void sheet_html(const struct sheet *sheet)
{
    int phase = -1;
    struct swi_text text = {0};
    printf("<h3>%s</h3>\n<div class=\"wide\"><table>\n<thead><tr>",
           sheet->rows == &sheet->merged->rows ? "Durations" : "Counters");
    for (int c = 0; c < sheet->columns; c++)
        printf("<th%s>%s</th>", sheet->column[c]->kind == TEXT ? " class=\"name\"" : "",
               sheet_cell(&text, sheet, 0, c, swi_escape_none));
    fputs("</tr></thead>\n<tbody>\n", stdout);
    for (size_t i = 0; i < sheet->rows->count; i++) {
        row_html(sheet, i + 1, sheet->rows->item[i].phase != phase);
        phase = sheet->rows->item[i].phase;
    }
    fputs("</tbody>\n</table></div>\n", stdout);
    swi_text_free(&text);
}

/* The first sentences are the answer, followed by what is missing. */
static void note_put(void *arg, const char *sentence)
{
    (void)arg;
    html_put(stdout, "<p class=\"note\">%s</p>\n", sentence);
}

/* ---- the ranks beside each other ---- */

static double work_of(const struct merged *merged, size_t rank)
{
    const struct columns *columns = &merged->columns;
    double sum = 0;
    for (size_t a = 0; a < columns->actions; a++)
        for (size_t b = 0; b < columns->blocks; b++)
            if (!columns->action[a].waits)
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

static void bars_put(const struct merged *merged, size_t bars, size_t each, double most)
{
    double wide = (double)WIDTH / (double)bars;
    for (size_t b = 0; b < bars; b++) {
        size_t rank = 0;
        char time[TEXT_NUMBER];
        double work = bar_of(merged, b, each, &rank), high = most > 0 ? HEIGHT * work / most : 0;
        html_put(stdout,
                 "<rect class=\"inner\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
                 "<title>rank %" PRId64 " (%s): %s</title></rect>\n",
                 (double)b * wide, HEIGHT - high, wide > 3 ? wide - 1 : wide, high,
                 merged->log[rank].rank, merged->log[rank].host, text_time(time, work));
    }
}

static void chart_put(const struct merged *merged)
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
    fputs("<h3>Work of each rank in a training step</h3>\n<figure>\n", stdout);
    printf("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Work of each rank\">\n", WIDTH,
           HEIGHT);
    bars_put(merged, bars, each, most);
    printf("</svg>\n<figcaption>From rank 0 at the left; the highest bar is %s. Time of waiting "
           "for other ranks is not in it.",
           text_time(time, most));
    if (each > 1)
        printf(" Each bar is the slowest of %zu ranks.", each);
    fputs("</figcaption>\n</figure>\n", stdout);
}

void merged_html(const struct merged *merged)
{
    page_begin(stdout);
    html_put(stdout, "<section>\n<h1>%s</h1>\n<p>%zu ranks%s%s</p>\n",
             *merged->log[0].name ? merged->log[0].name : "run", merged->count,
             *merged->log[0].job ? " of job " : "", merged->log[0].job);
    merged_notes(merged, note_put, NULL);
    sheets_print(merged, sheet_html, "");
    chart_put(merged);
    fputs("</section>\n", stdout);
    page_end(stdout);
}
