/* SPDX-License-Identifier: MIT */
/* drawing_durations.c - draws how long the calls of each action took, as bands of percentiles. */

#include "tools/html/drawing_durations.h"

#include "tools/html/scale.h"
#include "tools/output/text.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void draw_durations(FILE *out, const struct collected_report *report)
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
