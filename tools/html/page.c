/* SPDX-License-Identifier: MIT */
#include "tools/html/page.h"

#include "core/text/number.h"
#include "tools/log/log_lines.h"
#include "tools/output/text.h"
#include "tools/html/drawing_bar.h"
#include "tools/html/drawing_durations.h"
#include "tools/html/drawing_metrics.h"
#include "tools/html/drawing_throughput.h"
#include "tools/html/page_counters.h"
#include "tools/html/page_values.h"
#include "tools/html/sections.h"

#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* ---- what run it was ---- */

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

/* ---- the table ---- */

static void put_cell(FILE *out, const char *text)
{
    fprintf(out, "<td>%s</td>", text);
}

static void put_time(FILE *out, double ns)
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

static void put_table(FILE *out, const struct collected *run,
                      const struct collected_report *collected)
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

/* Prints the line that is below the table on the terminal. */
static void put_overall(FILE *out, const struct sw_report *report)
{
    char train[TEXT_NUMBER], valid[TEXT_NUMBER];
    bool has_train = isfinite(report->overall_train.samples_per_s);
    bool has_valid = isfinite(report->overall_valid.samples_per_s);
    text_rate(train, report->overall_train.samples_per_s);
    text_rate(valid, report->overall_valid.samples_per_s);
    if (has_train && has_valid)
        fprintf(out, "<p>Overall: %s samples/s in train (%s in valid).</p>\n", train, valid);
    else if (has_train || has_valid)
        fprintf(out, "<p>Overall: %s samples/s in %s.</p>\n", has_train ? train : valid,
                has_train ? "train" : "valid");
}

static int64_t batches_elsewhere(const struct collected_report *collected)
{
    for (size_t i = 0; i < collected->count; i++) {
        const struct sw_report_row *row = &collected->row[i].row;
        if (row->phase_id == SW_PHASE_THREADS && row->action_id == SW_BATCH)
            return row->calls;
    }
    return 0;
}

static void put_memory(FILE *out, const struct sw_accounting *a)
{
    struct swi_text text = {0};
    swi_text_put(&text, " The process had ");
    swi_number_bytes(&text, a->rss_bytes);
    swi_text_put(&text, " of memory when the report was made, and at most ");
    swi_number_bytes(&text, a->peak_rss_bytes);
    swi_text_put(&text, " since it started.");
    fputs(text.data ? text.data : "", out);
    swi_text_free(&text);
}

static void put_energy(FILE *out, double joules, int64_t samples)
{
    struct swi_text text = {0};
    swi_text_put(&text, " The energy used was ");
    swi_number_joules(&text, joules);
    swi_text_put(&text, " J");
    if (samples > 0) {
        swi_text_put(&text, ", ");
        swi_number_joules(&text, joules / (double)samples);
        swi_text_put(&text, " J a sample");
    }
    swi_text_put(&text, ".");
    fputs(text.data ? text.data : "", out);
    swi_text_free(&text);
}

static void put_costs(FILE *out, const struct sw_report *report)
{
    const struct sw_accounting *a = &report->accounting;
    int64_t samples = report->overall_train.samples + report->overall_valid.samples;
    char number[TEXT_NUMBER];
    if (isfinite(a->own_ns) && a->steps)
        fprintf(out, " stepwatch itself took %s a step.", text_time(number, a->own_ns_per_step));
    if (a->joules > 0)
        put_energy(out, a->joules, samples);
}

static void put_accounting(FILE *out, const struct sw_report *report, int64_t others)
{
    char fit[TEXT_NUMBER], share[TEXT_NUMBER], steps[TEXT_NUMBER];
    const struct sw_accounting *a = &report->accounting;
    double outside = report->fit_ns > 0 ? a->other_ns / report->fit_ns : 0;
    fprintf(out, "<p>The fit took %s, %s of it outside the measured actions; %s steps.",
            text_time(fit, report->fit_ns), text_share(share, outside),
            text_count(steps, (double)a->steps));
    if (report->drop_first_batch && a->steps)
        fputs(" The first batch of train and of valid is left out.", out);
    if (others)
        fprintf(out,
                " %" PRId64
                " batches ran on a different thread from the fit, so they are not steps.",
                others);
    if (a->misuses || a->discarded)
        fprintf(out, " Calls that did not fit: %" PRId64 "; regions discarded: %" PRId64 ".",
                a->misuses, a->discarded);
    put_costs(out, report);
    if (a->rss_bytes > 0)
        put_memory(out, a);
    fputs("</p>\n", out);
}

/* Prints each kind of misuse, as in the run's own report. */
static void put_misuse(FILE *out, const json_t *list)
{
    size_t i;
    json_t *misuse;
    json_array_foreach(list, i, misuse)
    {
        fputs("<p class=\"note\">", out);
        text_html(out, log_string(misuse, "text", ""), 0);
        fprintf(out, ": %" PRId64 "</p>\n", log_integer(misuse, "times", 0));
    }
}

/* ---- all ranks ---- */

static void put_ranks_row(FILE *out, const struct sw_ranks_row *row, bool first)
{
    char text[TEXT_NUMBER];
    fprintf(out, "<tr%s><td class=\"name\">", first ? " class=\"first\"" : "");
    text_html(out, first ? row->phase : "", 0);
    fputs("</td><td class=\"name\">", out);
    text_html(out, row->action, 0);
    fprintf(out, "</td><td>%" PRId64 "</td>", row->ranks);
    fprintf(out, "<td>%s@%" PRId64 "</td>", text_time(text, row->min_ns), row->min_rank);
    put_time(out, row->mean_ns);
    fprintf(out, "<td>%s@%" PRId64 "</td>", text_time(text, row->max_ns), row->max_rank);
    put_cell(out, text_share(text, row->imbalance));
    put_cell(out, text_count(text, (double)row->calls));
    put_time(out, row->call_mean_ns);
    fputs("</tr>\n", out);
}

static void put_ranks_notes(FILE *out, const struct sw_ranks *ranks)
{
    char text[TEXT_NUMBER];
    fprintf(out, "<p>%" PRId64 " of %" PRId64 " ranks, %" PRId64 " training steps.", ranks->ranks,
            ranks->world_size, ranks->steps);
    if (isfinite(ranks->lost))
        fprintf(out, " Perfect balance would save %s.", text_share(text, ranks->lost));
    if (isfinite(ranks->communication))
        fprintf(out, " Communication that all wait for: %s.",
                text_share(text, ranks->communication));
    fputs("</p>\n", out);
    if (!ranks->sentence)
        return;
    fprintf(out, "<p%s>", isfinite(ranks->gain) ? " class=\"note\"" : "");
    text_html(out, ranks->sentence, 0);
    fputs("</p>\n", out);
}

static void put_ranks(FILE *out, const struct sw_ranks *ranks)
{
    enum sw_phase before = SW_PHASE_FIT;
    fputs(
        "<h3>All ranks</h3>\n<div class=\"wide\"><table>\n<thead><tr><th class=\"name\">Phase</th>"
        "<th "
        "class=\"name\">Action</th><th>Ranks</th><th>Min@rank</th><th>Mean</th><th>Max@rank</th>"
        "<th>Imbalance</th><th>Calls</th><th>Call mean</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t i = 0; i < ranks->count; i++) {
        const struct sw_ranks_row *row = sw_ranks_row_at(ranks, i);
        put_ranks_row(out, row, i == 0 || row->phase_id != before);
        before = row->phase_id;
    }
    fputs("</tbody>\n</table></div>\n", out);
    put_ranks_notes(out, ranks);
}

/* ---- the whole ---- */

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
    put_accounting(out, &report->report, batches_elsewhere(report));
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
    put_config(out, run->config);
    fputs("</section>\n", out);
}
