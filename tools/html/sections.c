/* SPDX-License-Identifier: MIT */

#include "core/text/number.h"
#include "tools/html/page_parts.h"
#include "tools/log/log_lines.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- findings -------------------------------------------------------------------------------- */

static void put_finding(FILE *out, const struct sw_finding *finding)
{
    const char *level = swi_level_name(finding->level);
    html_put(
        out,
        "<div class=\"finding %s\"><p class=\"what\"><strong>%s</strong> <span class=\"level\">"
        "%s</span></p>\n<p class=\"what\">%s</p>\n<p>Try: %s</p>\n",
        level, finding->id, level, finding->text, finding->next);
    if (finding->formula)
        html_put(out, "<details><summary>Found by</summary><p>%s</p></details>", finding->formula);
    fputs("</div>\n", out);
}

static void put_checked(FILE *out, const struct swi_checked *checked)
{
    html_put(out,
             "<tr><td class=\"name\">%s</td><td class=\"name\">%s</td><td class=\"why\">%s</td>"
             "</tr>\n",
             checked->id, swi_verdict_name(checked->verdict), checked->why ? checked->why : "");
}

static void put_all_checked(FILE *out, const struct swi_advice *advice)
{
    html_put(out, "<details><summary>%s What was looked at</summary>\n",
             advice->count ? "" : "Nothing stands out.");
    put_table_begin(out, NULL);
    for (size_t i = 0; i < advice->checked_count; i++)
        put_checked(out, &advice->checked[i]);
    fputs("</tbody>\n</table></div></details>\n", out);
}

/* A log of results has the findings, but not what else was checked. */
void put_findings(FILE *out, const struct swi_advice *advice)
{
    if (!advice->count && !advice->checked_count)
        return;
    fputs("<h3>Where it loses time</h3>\n", out);
    for (size_t i = 0; i < advice->count; i++)
        put_finding(out, &advice->finding[i]);
    if (advice->checked_count)
        put_all_checked(out, advice);
}

/* ---- configuration --------------------------------------------------------------------------- */

static void put_value(FILE *out, const struct log_value *value)
{
    if (log_text(value))
        html_put(out, "%s", log_text(value));
    else if (log_is(value, LOG_INTEGER))
        fprintf(out, "%" PRId64, value->integer);
    else
        fprintf(out, "%.6g", log_digits(value, 0));
}

void put_config(FILE *out, const struct kept_lines *config)
{
    if (!config->count)
        return;
    fputs("<h2>Configuration</h2>\n", out);
    put_table_begin(out, NULL);
    for (size_t i = 0; i < config->count; i++) {
        html_put(out, "<tr><td class=\"name\">%s</td><td class=\"why\">",
                 config->names.name[i].text);
        put_value(out, config->line[i]);
        fputs("</td></tr>\n", out);
    }
    put_table_end(out);
}

/* ---- all ranks ------------------------------------------------------------------------------- */

/* first: of its phase, which the others do not repeat. */
static void put_row_begin(FILE *out, bool first, const char *phase, const char *action)
{
    fputs(first ? "<tr class=\"first\">" : "<tr>", out);
    html_put(out, "<td class=\"name\">%s</td><td class=\"name\">%s</td>", first ? phase : "",
             action);
}

static void put_ranks_row(FILE *out, const struct sw_ranks_row *row, bool first)
{
    char text[TEXT_NUMBER];
    put_row_begin(out, first, row->phase, row->action);
    html_put(out, "<td>%" PRId64 "</td><td>%s@%" PRId64 "</td>", row->ranks,
             text_time(text, row->min_ns), row->min_rank);
    put_time(out, row->mean_ns);
    html_put(out, "<td>%s@%" PRId64 "</td>", text_time(text, row->max_ns), row->max_rank);
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
    html_put(out, isfinite(ranks->gain) ? "<p class=\"note\">%s</p>\n" : "<p>%s</p>\n",
             ranks->sentence);
}

void put_ranks(FILE *out, const struct sw_ranks *ranks)
{
    enum sw_phase before = SW_PHASE_FIT;
    fputs("<h3>All ranks</h3>\n", out);
    put_table_begin(out, "<th class=\"name\">Phase</th><th class=\"name\">Action</th><th>Ranks</th>"
                         "<th>Min@rank</th><th>Mean</th><th>Max@rank</th><th>Imbalance</th>"
                         "<th>Calls</th><th>Call mean</th>");
    for (size_t i = 0; i < ranks->count; i++) {
        const struct sw_ranks_row *row = sw_ranks_row_at(ranks, i);
        put_ranks_row(out, row, i == 0 || row->phase_id != before);
        before = row->phase_id;
    }
    put_table_end(out);
    put_ranks_notes(out, ranks);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* A peak has no part of its own, and its largest value is not a sum. */
static void put_headers(FILE *out, const struct collected_report *report)
{
    fputs("<thead><tr><th class=\"name\">Phase</th><th class=\"name\">Action</th>", out);
    for (size_t i = 0; i < report->counters; i++) {
        const struct collected_counter *counter = &report->counter[i];
        html_put(out, counter->peak ? "<th>%s, most</th>" : "<th>%s</th>", counter->name);
        if (!counter->peak)
            html_put(out, "<th>self %s</th><th>%s / call</th>", counter->name, counter->name);
    }
    fputs("</tr></thead>\n", out);
}

static void put_use(FILE *out, const json_t *value, double calls, const char *unit)
{
    char text[TEXT_NUMBER];
    bool known = json_is_integer(value) && (json_integer_value(value) != INT64_MAX || calls == 1);
    double use = known ? (double)json_integer_value(value) / calls : NAN;
    put_cell(out, text_use(text, use, unit));
}

static void put_row(FILE *out, const struct collected_report *report,
                    const struct collected_row *row, bool first)
{
    put_row_begin(out, first, row->row.phase, row->row.action);
    for (size_t i = 0; i < report->counters; i++) {
        const struct collected_counter *counter = &report->counter[i];
        const json_t *use = json_object_get(row->counters, counter->name);
        put_use(out, json_array_get(use, 0), 1, counter->unit);
        if (counter->peak)
            continue;
        put_use(out, json_array_get(use, 1), 1, counter->unit);
        put_use(out, json_array_get(use, 0), (double)row->row.calls, counter->unit);
    }
    fputs("</tr>\n", out);
}

void put_counters(FILE *out, const struct collected_report *report)
{
    const char *before = "";
    if (!report->counters)
        return;
    fputs("<h3>Counters</h3>\n<div class=\"wide\"><table>\n", out);
    put_headers(out, report);
    fputs("<tbody>\n", out);
    for (size_t i = 0; i < report->count; i++) {
        const struct collected_row *row = &report->row[i];
        if (!json_object_size(row->counters))
            continue;
        put_row(out, report, row, strcmp(before, row->row.phase) != 0);
        before = row->row.phase;
    }
    put_table_end(out);
}

/* ---- accounting ------------------------------------------------------------------------------ */

void put_overall(FILE *out, const struct sw_report *report)
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

void put_accounting(FILE *out, const struct collected_report *collected)
{
    const struct sw_report *report = &collected->report;
    int64_t others = batches_elsewhere(collected);
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

void put_misuse(FILE *out, const struct log_value *list)
{
    for (const struct log_value *misuse = log_first(list); misuse;
         misuse = log_after(list, misuse)) {
        html_put(out, "<p class=\"note\">%s: %" PRId64 "</p>\n", log_string(misuse, "text", ""),
                 log_integer(misuse, "times", 0));
    }
}
