/* SPDX-License-Identifier: MIT */
#include "tools/html/page_accounting.h"

#include "core/text/number.h"
#include "tools/log/log_lines.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <math.h>

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
        fputs("<p class=\"note\">", out);
        text_html(out, log_string(misuse, "text", ""), 0);
        fprintf(out, ": %" PRId64 "</p>\n", log_integer(misuse, "times", 0));
    }
}
