/* SPDX-License-Identifier: MIT */
#include "tools/html/page.h"

#include "tools/html/page_parts.h"
#include "tools/output/print.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- what is around the runs of a page ------------------------------------------------------- */

/* The colours are those of Okabe and Ito, which can be distinguished with every kind of colour
 * vision. The contrast of text is at least 7:1 on both backgrounds. */
static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>stepwatch report</title>\n"
    "<style>\n"
    ":root { --ground: #ffffff; --text: #1c2026; --soft: #4d5561; --line: #d5d9df; --note: "
    "#fff3d6;\n"
    "  --mark: #0072b2; --band: #0072b2; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --ground: #15181c; --text: #e8eaed; --soft: #b4bbc5; --line: #3a414b; --note: "
    "#3d3219;\n"
    "    --mark: #7cc4f0; --band: #56b4e9; }\n"
    "}\n"
    "body { background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif;\n"
    "  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }\n"
    "h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }\n"
    "h3 { font-size: 1rem; margin: 2rem 0 .5rem; }\n"
    "p, figcaption { color: var(--soft); margin: .3rem 0; overflow-wrap: anywhere; }\n"
    "section + section { border-top: 2px solid var(--line); margin-top: 3rem; padding-top: 2rem; "
    "}\n"
    ".note { background: var(--note); color: var(--text); padding: .5rem .8rem; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .2rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px "
    "solid var(--line); }\n"
    "th { color: var(--soft); font-weight: 600; }\n"
    "th.name, td.name { text-align: left; max-width: 20rem; overflow: hidden; text-overflow: "
    "ellipsis; }\n"
    "tr.first td { border-top: 2px solid var(--line); }\n"
    "figure { margin: 0; overflow-x: auto; }\n"
    "svg { display: block; width: 100%; min-width: 40rem; height: auto; }\n"
    "svg.bar { min-width: 0; }\n"
    "svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }\n"
    "svg text.name { fill: var(--text); }\n"
    "svg text.frame { fill: #15181c; }\n"
    ".grid { stroke: var(--line); stroke-width: 1; }\n"
    ".line { fill: none; stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; }\n"
    ".band { fill: var(--band); fill-opacity: .25; }\n"
    ".inner { fill: var(--band); fill-opacity: .55; }\n"
    ".whisker { stroke: var(--soft); stroke-width: 1; }\n"
    ".median { stroke: var(--text); stroke-width: 2; }\n"
    ".swatch { display: inline-block; width: .8rem; height: .8rem; margin-right: .5rem; }\n"
    ".c0 { fill: #e69f00; background: #e69f00; } .c1 { fill: #56b4e9; background: #56b4e9; }\n"
    ".c2 { fill: #f0e442; background: #f0e442; } .c3 { fill: #0072b2; background: #0072b2; }\n"
    ".c4 { fill: #009e73; background: #009e73; } .c5 { fill: #d55e00; background: #d55e00; }\n"
    ".c6 { fill: #cc79a7; background: #cc79a7; } .c7 { fill: #882255; background: #882255; }\n"
    ".c8 { fill: #44aa99; background: #44aa99; } .c9 { fill: #8c8fd9; background: #8c8fd9; }\n"
    ".rest { fill: #9aa1ab; background: #9aa1ab; }\n"
    "h4 { font-size: .95rem; margin: 1.5rem 0 .3rem; overflow-wrap: anywhere; }\n"
    "small { color: var(--soft); font-weight: 400; margin-left: .5rem; }\n"
    "pre { white-space: pre-wrap; overflow-wrap: anywhere; }\n"
    ".images { display: flex; flex-wrap: wrap; gap: 1rem; }\n"
    "img { max-width: 100%; height: auto; image-rendering: pixelated; }\n";

/* Continued, because compilers need not accept a longer string. */
static const char head_rest[] =
    ".charts { display: flex; flex-wrap: wrap; gap: 1rem; }\n"
    "figure.small { flex: 1 1 20rem; max-width: 36rem; min-width: 0; }\n"
    "figure.small svg { min-width: 0; }\n"
    ".key { display: inline-block; margin-right: 1rem; }\n"
    ".curve { fill: none; stroke-width: 2; stroke-linejoin: round; }\n"
    ".l0 { stroke: var(--mark); background: var(--mark); } .dot.l0 { fill: var(--mark); }\n"
    ".l1 { stroke: #e69f00; background: #e69f00; } .dot.l1 { fill: #e69f00; }\n"
    ".l2 { stroke: #009e73; background: #009e73; } .dot.l2 { fill: #009e73; }\n"
    ".l3 { stroke: #cc79a7; background: #cc79a7; } .dot.l3 { fill: #cc79a7; }\n"
    ".l4 { stroke: #d55e00; background: #d55e00; } .dot.l4 { fill: #d55e00; }\n"
    ".l5 { stroke: #8c8fd9; background: #8c8fd9; } .dot.l5 { fill: #8c8fd9; }\n"
    ".finding { border-left: 4px solid var(--line); padding: .1rem .8rem; margin: .8rem 0; }\n"
    ".finding.high { border-color: #d55e00; } .finding.medium { border-color: #e69f00; }\n"
    ".finding .what { color: var(--text); } .level { color: var(--soft); }\n"
    "summary { cursor: pointer; color: var(--soft); }\n"
    "td.why { text-align: left; white-space: normal; min-width: 12rem; overflow-wrap: anywhere; }\n"
    "@media print { body { max-width: none; } }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

void page_begin(FILE *out)
{
    fputs(head, out);
    fputs(head_rest, out);
}

void page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

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
        double x = scale_position(scale, tick[i]);
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
        q[i] = scale_position(scale, row->quantile_ns[i]);
    fprintf(out, "<text class=\"name\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s / ", LEFT - 10,
            y + 4, row->row.phase);
    text_html(out, row->row.action, NAME);
    fprintf(out, "</text><line class=\"whisker\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
            scale_position(scale, row->row.durations.min), y,
            scale_position(scale, row->row.durations.max), y);
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
    html_put(out, "<h1>%s</h1>\n<p>%s", *run->name ? run->name : "run",
             *run->program ? run->program : "a program");
    html_put(out, *run->host ? " on %s" : "%s", run->host);
    put_date(out, run->started_s);
    html_put(out, "; from %s</p>\n", run->replay.path);
    if (run->replay.torn || !run->replay.finished)
        fprintf(out, "<p class=\"note\">The run did not finish: its log ends %s line %ld.</p>\n",
                run->replay.torn ? "within" : "after", run->replay.lines);
    if (run->replay.interrupted)
        html_put(out,
                 "<p class=\"note\">Interrupted: the program ended before sw_close()%s%s. This is "
                 "what was measured until then.</p>\n",
                 *run->replay.cause ? ": " : "", run->replay.cause);
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
