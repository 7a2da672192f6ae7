/* SPDX-License-Identifier: MIT */
#include "sinks/common/notes.h"

#include "core/text/escape.h"
#include "core/text/number.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <math.h>

/* ---- where the run lost time, as lines below a table ----------------------------------------- */

size_t swi_findings_count(const struct sw_report *report)
{
    return SW_HAS(report->size, report, finding) ? report->finding_count : 0;
}

void swi_findings_notes(struct swi_text *text, const struct sw_report *report,
                        swi_escape_fn *escape)
{
    size_t count = swi_findings_count(report);
    for (size_t i = 0; i < count && i < SWI_FINDINGS_SHOWN; i++) {
        const struct sw_finding *finding = sw_report_finding(report, i);
        escape(text, finding->text);
        swi_text_put(text, "\n  Try: ");
        escape(text, finding->next);
        swi_text_put(text, "\n");
    }
}

/* ---- the lines below a table, with what is not in its numbers -------------------------------- */

/* Smaller differences are rounding errors. */
static double tolerance_ns(const struct sw_report *report)
{
    return 0.5 + 1e-9 * report->fit_ns;
}

static void percent_add(struct swi_text *text, const struct sw_report *report, double ns,
                        int digits)
{
    swi_number_fixed(text, report->fit_ns > 0 ? 100 * ns / report->fit_ns : 0, digits);
    swi_text_put(text, " % of fit");
}

static void time_add(struct swi_text *text, const struct sw_report *report, double ns)
{
    bool nothing = fabs(ns) < tolerance_ns(report);
    if (nothing)
        swi_text_put(text, "0 s");
    else
        swi_number_time(text, ns / 1e9);
    swi_text_put(text, ", ");
    percent_add(text, report, nothing ? 0 : ns, 1);
}

void swi_notes_dropped(struct swi_text *text, const struct sw_report *report)
{
    if (report->drop_first_batch && report->accounting.steps > 0)
        swi_text_put(text, "Batch dropped. train and valid phases show 1 less batch than fit.\n");
}

void swi_notes_interrupted(struct swi_text *text, const struct sw_report *report)
{
    if (report->interrupted)
        swi_text_put(text, "Interrupted: the program ended before sw_close(). This is what was "
                           "measured until then.\n");
}

/* Adds the real throughput. The table has the mean of the rates. */
static void overall_add(struct swi_text *text, const struct sw_report *report)
{
    double train = report->overall_train.samples_per_s, valid = report->overall_valid.samples_per_s;
    if (isnan(train) && isnan(valid))
        return;
    swi_text_put(text, "Overall: ");
    swi_number_overall(text, isnan(train) ? valid : train);
    swi_text_put(text, isnan(train) ? " samples/s in valid" : " samples/s in train");
    if (!isnan(train) && !isnan(valid)) {
        swi_text_put(text, " (");
        swi_number_overall(text, valid);
        swi_text_put(text, " in valid)");
    }
    swi_text_put(text, ".\n");
}

static void parts_add(struct swi_text *text, const struct sw_report *report)
{
    const struct sw_accounting *a = &report->accounting;
    swi_text_put(text, "Accounted for: ");
    time_add(text, report, a->accounted_ns);
    swi_text_put(text, "; other: ");
    time_add(text, report, a->other_ns);
    swi_text_put(text, ".\n");
    if (fabs(a->residue_ns) > tolerance_ns(report))
        swi_text_format(
            text, "These do not add up: %" PRId64 " ns are missing, which is a bug in stepwatch.\n",
            (int64_t)a->residue_ns);
}

/* Of all samples that were trained or validated. */
static void energy_add(struct swi_text *text, const struct sw_report *report)
{
    double joules = report->accounting.joules;
    int64_t samples = report->overall_train.samples + report->overall_valid.samples;
    if (!(joules > 0))
        return;
    swi_text_put(text, "Energy: ");
    swi_number_joules(text, joules);
    swi_text_put(text, " J");
    if (samples > 0) {
        swi_text_put(text, ", ");
        swi_number_joules(text, joules / (double)samples);
        swi_text_put(text, " J/sample");
    }
    swi_text_put(text, ".\n");
}

static void memory_add(struct swi_text *text, const struct sw_accounting *a)
{
    if (a->rss_bytes <= 0)
        return;
    swi_text_put(text, "Memory of the process: ");
    swi_number_bytes(text, a->rss_bytes);
    swi_text_put(text, " resident, at most ");
    swi_number_bytes(text, a->peak_rss_bytes);
    swi_text_put(text, ".\n");
}

/* On the thread of the fit: other threads read theirs at the same time. */
static double reading_ns(const struct sw_report *report, size_t counter)
{
    double ns = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (row->phase_id != SW_PHASE_THREADS)
            ns += sw_row_counter(report, row, counter)->reading_ns;
    }
    return ns;
}

/* Those that took a noticeable part of the fit. */
static void readings_add(struct swi_text *text, const struct sw_report *report,
                         swi_escape_fn *escape)
{
    const double noticeable = 1e-3;
    if (!report->counter_count || report->counter_size < sizeof(struct sw_counter_total))
        return;
    for (size_t i = 0; i < report->counter_count && report->count; i++) {
        double ns = reading_ns(report, i);
        if (!(report->fit_ns > 0 && ns > noticeable * report->fit_ns))
            continue;
        swi_text_put(text, "; reading ");
        escape(text, sw_row_counter(report, sw_report_row(report, 0), i)->name);
        swi_text_put(text, " cost ");
        percent_add(text, report, ns, 1);
    }
}

static void own_add(struct swi_text *text, const struct sw_report *report, swi_escape_fn *escape)
{
    const struct sw_accounting *a = &report->accounting;
    if (isnan(a->own_ns))
        return;
    swi_text_put(text, "stepwatch itself: ");
    if (a->steps) {
        swi_number_fixed(text, a->own_ns_per_step, 0);
        swi_text_put(text, " ns a step, ");
    }
    percent_add(text, report, a->own_ns, 3);
    if (a->own_threads_ns > 0 && report->fit_ns > 0) {
        swi_text_put(text, "; its other threads: ");
        swi_number_fixed(text, 100 * a->own_threads_ns / report->fit_ns, 1);
        swi_text_put(text, " % of a core");
    }
    readings_add(text, report, escape);
    swi_text_put(text, ".\n");
}

/* Adds a note if the fit is on another thread than the loop: then there are no steps. */
static void others_add(struct swi_text *text, const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (row->phase_id != SW_PHASE_THREADS || row->action_id != SW_BATCH || !row->calls)
            continue;
        swi_text_format(
            text,
            "Batches on another thread than the fit: %" PRId64
            ". They are not steps: begin and end fit on the thread that runs the loop.\n",
            row->calls);
    }
}

static void counts_add(struct swi_text *text, const struct sw_accounting *a)
{
    if (a->misuses)
        swi_text_format(text,
                        "Calls that did not fit, such as an end without a begin: %" PRId64 ".\n",
                        a->misuses);
    if (a->discarded)
        swi_text_format(text,
                        "Regions cancelled, or still open when an outer one ended: %" PRId64 ".\n",
                        a->discarded);
}

/* Adds each kind of misuse of each action, with its count. */
static void misuses_add(struct swi_text *text, const struct sw_report *report,
                        swi_escape_fn *escape)
{
    for (size_t i = 0; i < report->misuse_count; i++) {
        escape(text, sw_report_misuse(report, i)->text);
        swi_text_format(text, ": %" PRId64 ".\n", sw_report_misuse(report, i)->times);
    }
}

static bool has_cost(const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (row->action_id == SW_DRAW && row->samples_per_s < 0)
            return true;
    }
    return false;
}

void swi_notes_draw(struct swi_text *text, const struct sw_report *report)
{
    if (report->show_accounting && has_cost(report))
        swi_text_put(text, "The negative rate of draw is what drawing costs: so many samples a "
                           "second more without it.\n");
}

void swi_notes_accounting(struct swi_text *text, const struct sw_report *report,
                          swi_escape_fn *escape)
{
    swi_notes_interrupted(text, report);
    if (!report->show_accounting)
        return;
    overall_add(text, report);
    parts_add(text, report);
    own_add(text, report, escape);
    energy_add(text, report);
    memory_add(text, &report->accounting);
    others_add(text, report);
    counts_add(text, &report->accounting);
    misuses_add(text, report, escape);
}
