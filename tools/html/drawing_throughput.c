/* SPDX-License-Identifier: MIT */
/* drawing_throughput.c - draws samples per second over the training steps. */

#include "tools/html/page_parts.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 900, HEIGHT = 300, LEFT = 90, RIGHT = 48, TOP = 12, BOTTOM = 52, POINTS = 240 };

static struct scale steps_scale(const struct steps_point *point, size_t count)
{
    struct scale scale = {point[0].step, point[0].step, LEFT, WIDTH - RIGHT, false};
    for (size_t i = 1; i < count; i++) {
        scale.low = fmin(scale.low, point[i].step);
        scale.high = fmax(scale.high, point[i].step);
    }
    if (scale.low < scale.high / 10)
        scale.low = 0;
    if (scale.high - scale.low < 1)
        scale.high = scale.low + 1;
    return scale;
}

/* Begins at 0, so that a small change does not look large. */
static struct scale rate_scale(const struct steps_point *point, size_t count)
{
    struct scale scale = {0, 0, HEIGHT - BOTTOM, TOP, false};
    for (size_t i = 0; i < count; i++)
        scale.high = fmax(scale.high, point[i].p95 * 1.05);
    if (scale.high <= 0)
        scale.high = 1;
    return scale;
}

/* Prints a short number, with enough digits to distinguish two ticks. */
static void put_number(FILE *out, double value, double spacing)
{
    char text[TEXT_NUMBER];
    if (value >= 1e9)
        fprintf(out, "%.4g G", value / 1e9);
    else if (value >= 1e6)
        fprintf(out, "%.4g M", value / 1e6);
    else if (spacing >= 1)
        fputs(text_count(text, value), out);
    else
        fprintf(out, "%.*f", spacing >= 0.1 ? 1 : spacing >= 0.01 ? 2 : 6, fabs(value));
}

static void put_steps_axis(FILE *out, const struct scale *x)
{
    char label[TEXT_NUMBER];
    double tick[SCALE_TICKS];
    size_t ticks = scale_ticks(x, 8, true, tick);
    for (size_t i = 0; i < ticks; i++) {
        double at = scale_position(x, tick[i]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 5, at, HEIGHT - BOTTOM + 20);
        fputs(text_count(label, tick[i]), out);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">training step</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
}

static void put_rate_axis(FILE *out, const struct scale *y, const char *unit)
{
    double tick[SCALE_TICKS];
    size_t ticks = scale_ticks(y, 6, false, tick);
    for (size_t i = 0; i < ticks; i++) {
        double at = scale_position(y, tick[i]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                LEFT, at, WIDTH - RIGHT, at, LEFT - 8, at + 4);
        put_number(out, tick[i], ticks > 1 ? tick[1] - tick[0] : tick[i]);
        fputs("</text>\n", out);
    }
    fprintf(out,
            "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, unit);
}

struct chart {
    struct scale x, y;
    size_t count;
    struct steps_point point[POINTS];
};

static void put_band(FILE *out, const struct chart *c)
{
    fputs("<polygon class=\"band\" points=\"", out);
    for (size_t i = 0; i < c->count; i++)
        fprintf(out, "%.1f,%.1f ", scale_position(&c->x, c->point[i].step),
                scale_position(&c->y, c->point[i].p95));
    for (size_t i = c->count; i-- > 0;)
        fprintf(out, "%.1f,%.1f ", scale_position(&c->x, c->point[i].step),
                scale_position(&c->y, c->point[i].p5));
    fputs("\"/>\n<polyline class=\"line\" points=\"", out);
    for (size_t i = 0; i < c->count; i++)
        fprintf(out, "%.1f,%.1f ", scale_position(&c->x, c->point[i].step),
                scale_position(&c->y, c->point[i].p50));
    fputs("\"/>\n", out);
}

static void put_caption(FILE *out, const struct collected *run, size_t points)
{
    double each = ceil((double)run->steps.seen / (double)points);
    fputs("<figcaption>", out);
    if (each > 1)
        fprintf(out, "Line: the median of %.0f steps in a row. Band: 5 to 95 %% of them.", each);
    else
        fputs("One point a step: draw and batch.", out);
    if (run->steps.every > 1)
        fprintf(out, " Of the %" PRId64 " steps, one of %" PRId64 " is drawn, chosen at random.",
                run->steps.seen, run->steps.every);
    fputs("</figcaption>\n</figure>\n", out);
}

void draw_throughput(FILE *out, const struct collected *run)
{
    struct chart chart;
    const char *unit = run->samples ? "samples per second" : "steps per second";
    chart.count = steps_points(&run->steps, chart.point, POINTS);
    if (chart.count < 2)
        return;
    chart.x = steps_scale(chart.point, chart.count);
    chart.y = rate_scale(chart.point, chart.count);
    fprintf(out,
            "<h3>Throughput</h3>\n<figure>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"%s over the steps of training\">\n",
            WIDTH, HEIGHT, unit);
    put_rate_axis(out, &chart.y, unit);
    put_steps_axis(out, &chart.x);
    put_band(out, &chart);
    fputs("</svg>\n", out);
    put_caption(out, run, chart.count);
}
