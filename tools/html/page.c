/* SPDX-License-Identifier: MIT */
#include "tools/html/page.h"

#include "tools/html/drawing_bar.h"
#include "tools/html/drawing_durations.h"
#include "tools/html/drawing_metrics.h"
#include "tools/html/drawing_throughput.h"
#include "tools/html/page_table.h"
#include "tools/html/page_values.h"
#include "tools/html/sections.h"
#include "tools/output/text.h"

#include <time.h>

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
