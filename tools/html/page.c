/* SPDX-License-Identifier: MIT */
#include "tools/html/page.h"

#include "tools/html/drawing_bar.h"
#include "tools/html/drawing_metrics.h"
#include "tools/html/drawing_throughput.h"
#include "tools/html/page_table.h"
#include "tools/html/page_values.h"
#include "tools/html/scale.h"
#include "tools/html/sections.h"
#include "tools/output/text.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- how long the calls of each action took -------------------------------------------------- */

enum { WIDTH = 900, LEFT = 240, RIGHT = 24, ROW = 24, TOP = 8, BOTTOM = 46, SHOWN = 40, NAME = 24 };

/* A duration of 0 has no place on a logarithmic scale. A report of a log of results has percentiles
 * only if the log has histograms. */
static bool is_shown(const struct collected_row *row)
{
    return row->row.calls > 0 && row->row.durations.min > 0 && row->row.phase_id != SW_PHASE_FIT &&
           isfinite(row->quantile_ns[0]) && isfinite(row->row.durations.max);
}

static size_t shown_count(const struct collected_report *report, struct scale *scale)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count && count < SHOWN; i++) {
        if (!is_shown(&report->row[i]))
            continue;
        scale->low = fmin(count ? scale->low : INFINITY, report->row[i].row.durations.min);
        scale->high = fmax(count ? scale->high : 0, report->row[i].row.durations.max);
        count++;
    }
    return count;
}

/* Extends the scale to whole powers of ten, so that there are at least two ticks. */
static void scale_round(struct scale *scale)
{
    scale->low = pow(10, floor(log10(scale->low) + 1e-9));
    scale->high = pow(10, ceil(log10(scale->high) - 1e-9));
    if (scale->high <= scale->low)
        scale->high = 10 * scale->low;
}

/* Formats 1 ns, 10 µs, 100 ms, 1000 s. */
static void power_label(char *buffer, size_t size, double ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    int unit = 0;
    while (unit < 3 && ns >= 999) {
        ns /= 1000;
        unit++;
    }
    snprintf(buffer, size, "%.0f %s", ns, units[unit]);
}

static void put_axis(FILE *out, const struct scale *scale, int bottom)
{
    double tick[SCALE_TICKS];
    size_t ticks = scale_ticks(scale, 0, false, tick);
    for (size_t i = 0; i < ticks; i++) {
        char label[TEXT_NUMBER];
        double x = scale_place(scale, tick[i]);
        power_label(label, sizeof label, tick[i]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x, TOP, x, bottom, x, bottom + 16, label);
    }
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">duration of a call (logarithmic)"
            "</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, bottom + 38);
}

static void put_box(FILE *out, const char *class, double from, double to, double y, double height)
{
    fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class,
            from, y - height / 2, fmax(to - from, 1), height);
}

static void put_row(FILE *out, const struct collected_row *row, const struct scale *scale, double y)
{
    double q[COLLECT_QUANTILES];
    for (int i = 0; i < COLLECT_QUANTILES; i++)
        q[i] = scale_place(scale, row->quantile_ns[i]);
    fprintf(out, "<text class=\"name\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s / ", LEFT - 10,
            y + 4, row->row.phase);
    text_html(out, row->row.action, NAME);
    fprintf(out, "</text><line class=\"whisker\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
            scale_place(scale, row->row.durations.min), y,
            scale_place(scale, row->row.durations.max), y);
    put_box(out, "band", q[0], q[4], y, 14);
    put_box(out, "inner", q[1], q[3], y, 14);
    fprintf(out, "<line class=\"median\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", q[2],
            y - 9, q[2], y + 9);
}

/* Draws the durations of each action: 5, 25, 50, 75 and 95 %, the shortest and the longest. */
static void draw_durations(FILE *out, const struct collected_report *report)
{
    struct scale scale = {.from = LEFT, .to = WIDTH - RIGHT, .logarithmic = true};
    size_t count = shown_count(report, &scale), put = 0;
    if (!count)
        return;
    scale_round(&scale);
    int bottom = TOP + ROW * (int)count;
    fprintf(out,
            "<h3>How long the calls take</h3>\n<figure>\n"
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"durations of the actions\">\n",
            WIDTH, bottom + BOTTOM);
    put_axis(out, &scale, bottom);
    for (size_t i = 0; i < report->count && put < count; i++)
        if (is_shown(&report->row[i]))
            put_row(out, &report->row[i], &scale, TOP + ROW * ((double)put++ + 0.5));
    fprintf(
        out,
        "</svg>\n<figcaption>Line: shortest to longest call. Outer band: 5 to 95 %%. Inner band: "
        "25 to 75 %%. Stroke: median.%s</figcaption>\n</figure>\n",
        count == SHOWN ? " The first 40 rows; the table has all." : "");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_date(FILE *out, double seconds)
{
    char text[64];
    time_t at = (time_t)seconds;
    struct tm tm;
    if (!(seconds > 0 && seconds < 4e12) || !gmtime_r(&at, &tm))
        return;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm);
    fprintf(out, ", %s", text);
}

static void put_run(FILE *out, const struct collected *run)
{
    fputs("<h1>", out);
    text_html(out, *run->name ? run->name : "run", 0);
    fputs("</h1>\n<p>", out);
    text_html(out, *run->program ? run->program : "a program", 0);
    if (*run->host) {
        fputs(" on ", out);
        text_html(out, run->host, 0);
    }
    put_date(out, run->started_s);
    fputs("; from ", out);
    text_html(out, run->replay.path, 0);
    fputs("</p>\n", out);
    if (run->replay.torn || !run->replay.finished)
        fprintf(out, "<p class=\"note\">The run did not finish: its log ends %s line %ld.</p>\n",
                run->replay.torn ? "within" : "after", run->replay.lines);
    if (run->replay.interrupted) {
        fputs("<p class=\"note\">Interrupted: the program ended before sw_close()", out);
        fputs(*run->replay.cause ? ": " : "", out);
        text_html(out, run->replay.cause, 0);
        fputs(". This is what was measured until then.</p>\n", out);
    }
    if (run->replay.damaged)
        fprintf(out, "<p class=\"note\">Damaged lines of the log that were skipped: %ld.</p>\n",
                run->replay.damaged);
    if (run->replay.results_only)
        fputs("<p class=\"note\">The log has only the results of the run. To see its steps, "
              "record the run with detail: steps or regions.</p>\n",
              out);
    if (run->replay.held.lacks_steps)
        fprintf(out,
                "<p class=\"note\">Steps in the run's own report that are missing from its log: "
                "%lld.</p>\n",
                (long long)run->replay.held.lacks_steps);
}

static void put_report(FILE *out, const struct collected *run,
                       const struct collected_report *report)
{
    if (run->count > 1)
        fprintf(out, "<h2>Fit %d</h2>\n", report->report.fit);
    put_findings(out, &report->advice);
    fputs("<h3>Durations</h3>\n", out);
    put_table(out, run, report);
    put_counters(out, report);
    put_overall(out, &report->report);
    put_accounting(out, report);
    put_misuse(out, report->misuse);
    draw_bar(out, report, SW_PHASE_TRAIN, run->regions);
    draw_bar(out, report, SW_PHASE_VALID, run->regions);
    draw_durations(out, report);
}

void page_run(FILE *out, const struct collected *run)
{
    fputs("<section>\n", out);
    put_run(out, run);
    if (!run->count)
        fputs("<p class=\"note\">The log contains no fit.</p>\n", out);
    draw_throughput(out, run);
    for (size_t i = 0; i < run->count; i++)
        put_report(out, run, &run->report[i]);
    put_values(out, run);
    if (run->ranks)
        put_ranks(out, run->ranks);
    draw_metrics(out, &run->metrics);
    put_config(out, &run->config);
    fputs("</section>\n", out);
}
