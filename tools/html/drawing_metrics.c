/* SPDX-License-Identifier: MIT */
/* drawing_metrics.c - the values that the program logged, over the steps of training. */
#include "tools/html/page_parts.h"
#include "tools/output/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 440, HEIGHT = 240, LEFT = 62, RIGHT = 16, TOP = 10, BOTTOM = 40 };
enum { LINES = 6 }; /* in one chart: as many as there are colours that are easily told apart */
/* Values that differ more are not drawn on one axis. */
#define ALIKE 30.0

/* ---- which are drawn together ---------------------------------------------------------------- */

/* What a name is of, without the phase: "loss" of "train/loss"; of other names the prefix. */
static size_t quantity_of(const char *name, const char **quantity)
{
    static const char *const phases[] = {"train/",      "training/", "valid/", "val/",
                                         "validation/", "test/",     "eval/"};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        size_t size = strlen(phases[i]);
        if (strncmp(name, phases[i], size) == 0 && name[size]) {
            *quantity = name + size;
            return strlen(*quantity);
        }
    }
    *quantity = name;
    return strcspn(name, "/");
}

static double largest(const struct metric_series *series)
{
    double most = 0;
    for (size_t i = 0; i < series->values.count; i++)
        most = fmax(most, fabs(series->values.y[i]));
    return most;
}

/* x and y are the largest values of a and b. */
static bool belong_together(const struct metric_series *a, double x, const struct metric_series *b,
                            double y)
{
    const char *of_a, *of_b;
    size_t size_a = quantity_of(a->name, &of_a), size_b = quantity_of(b->name, &of_b);
    return size_a == size_b && strncmp(of_a, of_b, size_a) == 0 && x <= ALIKE * y && y <= ALIKE * x;
}

struct metric_chart {
    size_t count;
    const struct metric_series *line[LINES];
    struct scale x, y;
};

/* Those that belong to line i and are in no chart yet. most: the largest value of each; NAN: it is
 * in a chart. */
static struct metric_chart chart_of(const struct metric_list *metrics, size_t i, double *most)
{
    struct metric_chart chart = {.count = 0};
    double of_all = most[i];
    for (size_t k = i; k < metrics->names.count && chart.count < LINES; k++) {
        const struct metric_series *series = &metrics->item[k];
        if (isnan(most[k]) || !belong_together(&metrics->item[i], of_all, series, most[k]))
            continue;
        most[k] = NAN;
        chart.line[chart.count++] = series;
    }
    return chart;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void scale_widen(struct scale *scale, double least)
{
    if (scale->high - scale->low >= least)
        return;
    double middle = (scale->high + scale->low) / 2;
    scale->low = middle - least / 2;
    scale->high = middle + least / 2;
}

static void scales_make(struct metric_chart *chart)
{
    const struct swi_curve *first = &chart->line[0]->values;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a chart has a line */
    chart->x = (struct scale){first->x[0], first->x[0], LEFT, WIDTH - RIGHT, false};
    chart->y = (struct scale){first->y[0], first->y[0], HEIGHT - BOTTOM, TOP, false};
    for (size_t l = 0; l < chart->count; l++) {
        const struct swi_curve *line = &chart->line[l]->values;
        for (size_t i = 0; i < line->count; i++) {
            chart->x.low = fmin(chart->x.low, line->x[i]);
            chart->x.high = fmax(chart->x.high, line->x[i]);
            chart->y.low = fmin(chart->y.low, line->y[i]);
            chart->y.high = fmax(chart->y.high, line->y[i]);
        }
    }
    scale_widen(&chart->x, 1);
    scale_widen(&chart->y, fmax(1e-12, 1e-6 * fabs(chart->y.high)));
}

static void put_x_axis(FILE *out, const struct scale *x)
{
    char label[TEXT_NUMBER];
    double tick[SCALE_TICKS];
    size_t ticks = scale_ticks(x, 4, true, tick);
    for (size_t i = 0; i < ticks; i++)
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                scale_position(x, tick[i]), HEIGHT - BOTTOM + 18, text_count(label, tick[i]));
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">training step</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
}

static void put_y_axis(FILE *out, const struct scale *y)
{
    double tick[SCALE_TICKS];
    size_t ticks = scale_ticks(y, 5, false, tick);
    for (size_t i = 0; i < ticks; i++) {
        double at = scale_position(y, tick[i]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                LEFT, at, WIDTH - RIGHT, at, LEFT - 6, at + 4, fabs(tick[i]) < 1e-12 ? 0 : tick[i]);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_line(FILE *out, const struct metric_chart *chart, size_t l)
{
    const struct swi_curve *line = &chart->line[l]->values;
    fprintf(out, "<polyline class=\"curve l%zu\" points=\"", l);
    for (size_t i = 0; i < line->count; i++)
        fprintf(out, "%.1f,%.1f ", scale_position(&chart->x, line->x[i]),
                scale_position(&chart->y, line->y[i]));
    fputs("\"/>\n", out);
    if (line->count == 1)
        fprintf(out, "<circle class=\"dot l%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", l,
                scale_position(&chart->x, line->x[0]), scale_position(&chart->y, line->y[0]));
}

/* Colour, name, last value. */
static void put_key(FILE *out, const struct metric_series *line, size_t l)
{
    fprintf(out, "<span class=\"key\"><span class=\"swatch l%zu\"></span>", l);
    text_html(out, line->name, 60);
    fprintf(out, " %.4g", line->last);
    if (line->not_finite)
        fprintf(out, " (%zu values are not finite)", line->not_finite);
    fputs("</span> ", out);
}

static void put_chart(FILE *out, struct metric_chart *chart)
{
    size_t each = 1;
    scales_make(chart);
    fprintf(out,
            "<figure class=\"small\">\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"values "
            "over the steps of training\">\n",
            WIDTH, HEIGHT);
    put_y_axis(out, &chart->y);
    put_x_axis(out, &chart->x);
    for (size_t l = 0; l < chart->count; l++) {
        put_line(out, chart, l);
        each = chart->line[l]->values.each > each ? chart->line[l]->values.each : each;
    }
    fputs("</svg>\n<figcaption>", out);
    for (size_t l = 0; l < chart->count; l++)
        put_key(out, chart->line[l], l);
    if (each > 1)
        fprintf(out, "A point is the mean of up to %zu values.", each);
    fputs("</figcaption>\n</figure>\n", out);
}

void draw_metrics(FILE *out, const struct metric_list *metrics)
{
    size_t count = metrics->names.count;
    double *most = malloc((count + 1) * sizeof *most);
    bool any = false;
    for (size_t i = 0; most && i < count; i++)
        most[i] = metrics->item[i].values.count ? largest(&metrics->item[i]) : NAN;
    for (size_t i = 0; most && i < count; i++) {
        if (isnan(most[i]))
            continue;
        struct metric_chart chart = chart_of(metrics, i, most);
        if (!any)
            fputs("<h2>Metrics</h2>\n<div class=\"charts\">\n", out);
        any = true;
        put_chart(out, &chart);
    }
    if (any)
        fputs("</div>\n", out);
    free(most);
}
