/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/lines.h"

#include "core/text/vec.h"
#include "sinks/common/runlog/line_fields.h"

#include <stepwatch/report.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- findings -------------------------------------------------------------------------------- */

static void steps_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    for (int64_t i = 0; i < evidence->count; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_text_integer(text, evidence->step[i]);
    }
    swi_text_put(text, evidence->count ? "]" : "[]");
}

static void evidence_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    swi_field_key(text, evidence->name);
    if (evidence->kind == SW_EVIDENCE_NUMBER)
        swi_number_json(text, evidence->number);
    else if (evidence->kind == SW_EVIDENCE_COUNT)
        swi_text_integer(text, evidence->count);
    else if (evidence->kind == SW_EVIDENCE_TEXT)
        swi_escape_json(text, evidence->text);
    else if (evidence->kind == SW_EVIDENCE_STEPS)
        steps_add(text, evidence);
    else
        swi_text_put(text, "true");
}

static void finding_line(struct swi_text *text, const struct sw_record *record, int fit,
                         const struct sw_finding *finding)
{
    static const char *const levels[] = {"note", "medium", "high"};
    swi_line_begin_at(text, "finding", record->time_ns);
    swi_field_integer(text, "fit", fit);
    swi_field_string(text, "id", finding->id);
    swi_field_string(text, "level", levels[finding->level]);
    swi_field_number(text, "gain", finding->gain);
    swi_field_string(text, "text", finding->text);
    swi_field_string(text, "next", finding->next);
    for (size_t i = 0; i < finding->evidence_count; i++)
        evidence_add(text, sw_finding_evidence(finding, i));
    swi_field_by_profiler(text);
    swi_line_end(text);
}

/* ---- distributions --------------------------------------------------------------------------- */

/* Returns the bin: exponent and six leading bits of a duration as a double, so 64 bins for each
 * power of two. Durations below 1 ns have the bin of 1 ns. */
static uint64_t bin_of(double ns)
{
    uint64_t bits;
    ns = ns > 1 ? ns : 1;
    memcpy(&bits, &ns, sizeof bits);
    return bits >> 46;
}

/* The bin that is being counted. */
struct bins {
    struct swi_text *text;
    uint64_t bin, count;
    const char *comma;
};

static void bin_end(struct bins *bins)
{
    if (bins->count)
        swi_text_format(bins->text, "%s[%" PRIu64 ",%" PRIu64 "]", bins->comma, bins->bin,
                        bins->count);
    bins->comma = bins->count ? "," : bins->comma;
    bins->count = 0;
}

/* Counts a value. Values must be in ascending order. */
static void bin_add(struct bins *bins, double ns, uint64_t count)
{
    uint64_t bin = bin_of(ns);
    if (bin != bins->bin)
        bin_end(bins);
    bins->bin = bin;
    bins->count += count;
}

/* If there are few values, they are all known. */
static void values_add(struct bins *bins, const struct sw_distribution *durations)
{
    double value[SW_DISTRIBUTION_KEPT];
    memcpy(value, durations->value, durations->kept * sizeof *value);
    qsort(value, durations->kept, sizeof *value, swi_by_double);
    for (size_t i = 0; i < durations->kept; i++)
        bin_add(bins, value[i], 1);
}

/* Adds [[bin, count], ...] in ascending order. */
static void distribution_add(struct swi_text *text, const struct sw_distribution *durations)
{
    struct bins bins = {.text = text, .comma = ""};
    bool all = (size_t)durations->count == durations->kept &&
               durations->kept <= SW_DISTRIBUTION_KEPT && durations->value;
    swi_text_put(text, "[");
    if (all)
        values_add(&bins, durations);
    for (size_t i = 0; !all && i < durations->bin_count; i++) {
        const struct sw_bin *bin = sw_distribution_bin(durations, i);
        bin_add(&bins, bin->low + (bin->high - bin->low) / 2, bin->count);
    }
    bin_end(&bins);
    swi_text_put(text, "]");
}

/* ---- a report -------------------------------------------------------------------------------- */

static void value_add(struct swi_text *text, const struct sw_column *column,
                      const struct sw_report_row *row)
{
    if (column->kind == SW_COLUMN_TEXT)
        swi_escape_json(text, sw_column_text(column, row));
    else if (column->kind == SW_COLUMN_COUNT)
        swi_text_integer(text, sw_column_count(column, row));
    else
        swi_number_json(text, sw_column_number(column, row));
}

/* Counters have a field of their own, and what follows from them is computed again. */
static bool is_of_counters(const struct sw_column *column, const struct sw_report_row *row)
{
    const char *behind = (const char *)row->counter;
    return behind && column->offset >= (size_t)(behind - (const char *)row);
}

static bool is_logged(const struct sw_column *column)
{
    return sw_column_is_known(column) && column->kind != SW_COLUMN_COUNTER &&
           !(column->flags & SW_COLUMN_REPEATED);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Returns what reading a counter costs a call. */
static double reading_ns(const struct sw_report *report, size_t counter)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        double ns = sw_row_counter(report, row, counter)->reading_ns;
        if (ns > 0 && row->calls > 0)
            return ns / (double)row->calls;
    }
    return 0;
}

static void counter_add(struct swi_text *text, const struct sw_report *report, size_t i)
{
    const struct sw_counter_total *counter = sw_row_counter(report, sw_report_row(report, 0), i);
    double reading = reading_ns(report, i);
    swi_text_put(text, i ? ",{" : "{");
    swi_log_counter_names(text, counter->name, counter->kind, counter->unit);
    if (SW_HAS(report->counter_size, counter, standard) && counter->standard)
        swi_field_integer(text, "standard", counter->standard);
    if (reading > 0)
        swi_field_number(text, "reading_ns", reading);
    swi_text_put(text, "}");
}

/* All that some row may have, in the order of their columns. */
static void counter_list_add(struct swi_text *text, const struct sw_report *report)
{
    if (!SW_HAS(report->size, report, counter_size) || !report->counter_count || !report->count)
        return;
    const struct sw_counter_total *first = sw_row_counter(report, sw_report_row(report, 0), 0);
    if (!SW_HAS(report->counter_size, first, reading_ns))
        return;
    swi_field_key(text, "counters");
    swi_text_put(text, "[");
    for (size_t i = 0; i < report->counter_count; i++)
        counter_add(text, report, i);
    swi_text_put(text, "]");
}

/* Those that the row has: [total, self], or of a peak the largest. */
static void counters_add(struct swi_text *text, const struct sw_report *report,
                         const struct sw_report_row *row)
{
    const char *before = ",\"counters\":{";
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(report, row, i);
        if (counter->total == SW_COUNTER_NONE)
            continue;
        swi_text_put(text, before);
        swi_escape_json(text, counter->name);
        swi_text_put(text, ":[");
        swi_log_counter_value(text, counter->total);
        swi_text_put(text, ",");
        swi_log_counter_value(text, counter->self);
        swi_text_put(text, "]");
        before = ",";
    }
    if (*before == ',' && !before[1])
        swi_text_put(text, "}");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void row_add(struct swi_text *text, const struct sw_report *report,
                    const struct sw_report_row *row, bool histograms)
{
    const char *comma = "";
    bool counters = SW_HAS(report->size, report, counter_size);
    swi_text_put(text, "{");
    for (size_t i = 0; i < report->column_count; i++) {
        const struct sw_column *column = sw_report_column(report, i);
        if (!is_logged(column) || (counters && is_of_counters(column, row)))
            continue;
        swi_text_format(text, "%s\"%s\":", comma, column->key);
        value_add(text, column, row);
        comma = ",";
    }
    if (SW_HAS(report->row_size, row, first_use) && row->first_use != INT64_MAX)
        swi_field_integer(text, "first_use", row->first_use);
    if (SW_HAS(report->row_size, row, shape) && *row->shape)
        swi_field_string(text, "shape", row->shape);
    if (counters)
        counters_add(text, report, row);
    if (histograms && row->durations.count > 0) {
        swi_field_key(text, "hist");
        distribution_add(text, &row->durations);
    }
    swi_text_put(text, "}");
}

/* by_shape: the same calls, with a row for each shape of an action. */
static void rows_add(struct swi_text *text, const struct sw_report *report, bool by_shape,
                     bool histograms)
{
    size_t count = by_shape ? report->shaped_count : report->count;
    swi_field_key(text, by_shape ? "rows_by_shape" : "rows");
    for (size_t i = 0; i < count; i++) {
        swi_text_put(text, i ? "," : "[");
        row_add(text, report, by_shape ? sw_report_shaped(report, i) : sw_report_row(report, i),
                histograms);
    }
    swi_text_put(text, count ? "]" : "[]");
}

/* ---- the report ------------------------------------------------------------------------------ */

static void accounting_add(struct swi_text *text, const struct sw_accounting *a)
{
    swi_field_number(text, "accounted_ns", a->accounted_ns);
    swi_field_number(text, "other_ns", a->other_ns);
    if (!isnan(a->own_ns))
        swi_field_number(text, "own_ns", a->own_ns);
    if (a->own_threads_ns > 0)
        swi_field_number(text, "own_threads_ns", a->own_threads_ns);
    if (a->joules > 0)
        swi_field_number(text, "joules", a->joules);
    if (a->rss_bytes > 0) {
        swi_field_integer(text, "rss_bytes", a->rss_bytes);
        swi_field_integer(text, "peak_rss_bytes", a->peak_rss_bytes);
    }
    swi_field_integer(text, "steps", a->steps);
    swi_field_integer(text, "misuses", a->misuses);
    swi_field_integer(text, "discarded", a->discarded);
}

static void misuses_add(struct swi_text *text, const struct sw_report *report)
{
    if (!report->misuse_count)
        return;
    swi_field_key(text, "misuse");
    for (size_t i = 0; i < report->misuse_count; i++) {
        swi_text_put(text, i ? ",{\"text\":" : "[{\"text\":");
        swi_escape_json(text, sw_report_misuse(report, i)->text);
        swi_field_integer(text, "times", sw_report_misuse(report, i)->times);
        swi_text_put(text, "}");
    }
    swi_text_put(text, "]");
}

static void overall_add(struct swi_text *text, const char *phase, const struct sw_overall *overall)
{
    swi_field_key(text, phase);
    swi_text_put(text, "{\"samples\":");
    swi_text_integer(text, overall->samples);
    swi_field_number(text, "elapsed_ns", overall->elapsed_ns);
    swi_field_number(text, "samples_per_s", overall->samples_per_s);
    swi_text_put(text, "}");
}

/* What rules need to know besides the steps. */
static void facts_add(struct swi_text *text, const struct sw_report *report)
{
    if (!SW_HAS(report->size, report, gpu))
        return;
    if (report->preempted >= 0)
        swi_field_integer(text, "preempted", report->preempted);
    if (SW_HAS(report->size, report, waited_ns) && report->waited_ns > 0)
        swi_field_integer(text, "waited_ns", (int64_t)report->waited_ns);
    if (*report->gpu)
        swi_field_string(text, "gpu", report->gpu);
}

void swi_report_lines(struct swi_text *text, const struct sw_record *record, bool histograms)
{
    const struct sw_report *report = record->report;
    /* A second report of a fit has the findings of the first. */
    bool known = SW_HAS(report->size, report, finding) && !report->amended;
    for (size_t i = 0; known && i < report->finding_count; i++)
        finding_line(text, record, report->fit, sw_report_finding(report, i));
    swi_line_begin_at(text, "report", record->time_ns);
    swi_field_integer(text, "fit", report->fit);
    swi_field_mode(text, report->mode);
    swi_field_bool(text, "drop_first_batch", report->drop_first_batch);
    swi_field_bool(text, "interrupted", report->interrupted);
    if (!report->complete)
        swi_field_bool(text, "complete", false);
    swi_field_integer(text, "epochs", report->epoch);
    swi_field_integer(text, "step", report->step);
    swi_field_number(text, "started", report->started_s);
    swi_field_number(text, "fit_ns", report->fit_ns);
    accounting_add(text, &report->accounting);
    misuses_add(text, report);
    facts_add(text, report);
    if (report->amended)
        swi_field_bool(text, "amended", true);
    if (SW_HAS(report->size, report, inserted) && report->inserted)
        swi_field_bool(text, "inserted", true);
    overall_add(text, "overall_train", &report->overall_train);
    overall_add(text, "overall_valid", &report->overall_valid);
    counter_list_add(text, report);
    rows_add(text, report, false, histograms);
    if (SW_HAS(report->size, report, shaped) && report->shaped_count)
        rows_add(text, report, true, false);
    swi_field_by_profiler(text);
    swi_line_end(text);
}

/* ---- the line of all ranks ------------------------------------------------------------------- */

/* Adds a name, or null. */
static void name_add(struct swi_text *text, const char *key, const char *name)
{
    if (name) {
        swi_field_string(text, key, name);
        return;
    }
    swi_field_key(text, key);
    swi_text_put(text, "null");
}

static void culprit_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (ranks->slow_rank >= 0)
        swi_field_integer(text, "rank", ranks->slow_rank);
    name_add(text, "host", ranks->slow_host);
    name_add(text, "phase", ranks->slow_action);
    swi_field_number(text, "late_ns", ranks->late_ns);
    swi_field_number(text, "gain", ranks->gain);
    swi_field_number(text, "confidence", ranks->confidence);
}

static void straggler_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (!ranks->verdict)
        return;
    swi_field_key(text, "straggler");
    swi_text_put(text, "{\"verdict\":");
    swi_escape_json(text, ranks->verdict);
    if (ranks->why)
        swi_field_string(text, "why", ranks->why);
    if (isfinite(ranks->gain))
        culprit_add(text, ranks);
    if (ranks->sentence)
        swi_field_string(text, "sentence", ranks->sentence);
    swi_text_put(text, "}");
}

static void ranks_row_add(struct swi_text *text, const struct sw_ranks_row *row)
{
    swi_text_put(text, "{\"phase\":");
    swi_escape_json(text, row->phase);
    swi_field_string(text, "action", row->action);
    swi_field_integer(text, "ranks", row->ranks);
    swi_field_integer(text, "calls", row->calls);
    swi_field_number(text, "min_ns", row->min_ns);
    swi_field_integer(text, "min_rank", row->min_rank);
    swi_field_number(text, "mean_ns", row->mean_ns);
    swi_field_number(text, "max_ns", row->max_ns);
    swi_field_integer(text, "max_rank", row->max_rank);
    swi_field_number(text, "imbalance", row->imbalance);
    swi_field_number(text, "call_mean_ns", row->call_mean_ns);
    swi_field_number(text, "call_std_ns", row->call_std_ns);
    swi_field_number(text, "p50_ns", row->p50_ns);
    swi_field_number(text, "p95_ns", row->p95_ns);
    swi_field_number(text, "p99_ns", row->p99_ns);
    swi_text_put(text, "}");
}

void swi_ranks_line(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_ranks *ranks = record->ranks;
    bool known = SW_HAS(ranks->size, ranks, finding) && ranks->complete;
    for (size_t i = 0; known && i < ranks->finding_count; i++)
        finding_line(text, record, ranks->fit, sw_ranks_finding(ranks, i));
    swi_line_begin_at(text, "ranks", record->time_ns);
    swi_field_integer(text, "fit", ranks->fit);
    swi_field_bool(text, "complete", ranks->complete);
    swi_field_integer(text, "epochs", ranks->epoch);
    swi_field_integer(text, "step", ranks->step);
    swi_field_integer(text, "world_size", ranks->world_size);
    swi_field_integer(text, "ranks", ranks->ranks);
    swi_field_integer(text, "steps", ranks->steps);
    swi_field_integer(text, "steps_in_a_block", ranks->block);
    swi_field_integer(text, "took_ns", ranks->took_ns);
    swi_field_number(text, "lost", ranks->lost);
    swi_field_number(text, "communication", ranks->communication);
    straggler_add(text, ranks);
    swi_field_key(text, "rows");
    for (size_t i = 0; i < ranks->count; i++) {
        swi_text_put(text, i ? "," : "[");
        ranks_row_add(text, sw_ranks_row_at(ranks, i));
    }
    swi_text_put(text, ranks->count ? "]" : "[]");
    swi_line_end(text);
}
