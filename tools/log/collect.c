/* SPDX-License-Identifier: MIT */
#include "tools/log/collect.h"

#include "core/text/vec.h"
#include "tools/log/log_lines.h"
#include "tools/output/print.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double quantiles[COLLECT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int no_memory(struct sw_error *err)
{
    return sw_error_set(err, SW_ENOMEM, "not enough memory for what the log holds");
}

/* ---- steps ---- */

static int take_step(struct collected *to, const struct sw_record *record, struct sw_error *err)
{
    const struct sw_step *step =
        record->step_done->sum ? record->step_done->sum : record->step_done;
    int valid = step->phase == SW_PHASE_VALID;
    int64_t ns = 0;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        size_t action = (size_t)part->action_id;
        if (!swi_vec_reach(&to->in_step[valid], action, &to->actions[valid], sizeof(bool)))
            return no_memory(err);
        to->in_step[valid][action] = true;
        if (part->action_id == SW_DRAW || part->action_id == SW_BATCH)
            ns += part->duration_ns;
    }
    if (step->phase != SW_PHASE_TRAIN || step->samples < 0 || ns <= 0)
        return 0;
    to->samples = to->samples || step->samples > 0;
    /* Until a step has a number of samples, one sample per step gives steps per second. */
    double samples = to->samples ? (double)step->samples : (double)step->steps;
    steps_add(&to->steps, record->step, step->steps, samples * 1e9 / (double)ns);
    return to->steps.failed ? no_memory(err) : 0;
}

/* ---- reports ---- */

static json_t *use_json(int64_t value)
{
    return value == SW_COUNTER_NONE ? json_null() : json_integer(value);
}

/* Names as the program gave them, which need not be UTF-8. */
static json_t *counters_copy(const struct sw_report *report, const struct sw_report_row *row)
{
    json_t *counters = report->counter_count ? json_object() : NULL;
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(report, row, i);
        json_t *name = text_json(counter->name);
        if (counter->total != SW_COUNTER_NONE && name)
            json_object_set_new(
                counters, json_string_value(name),
                json_pack("[oo]", use_json(counter->total), use_json(counter->self)));
        json_decref(name);
    }
    return counters;
}

static struct collected_row row_copy(const struct collected *run, const struct sw_report *report,
                                     const struct sw_report_row *row)
{
    struct collected_row copy = {.row = *row};
    int valid = row->phase_id == SW_PHASE_VALID;
    for (int i = 0; i < COLLECT_QUANTILES; i++)
        copy.quantile_ns[i] = sw_quantile(&row->durations, quantiles[i]);
    copy.row.action = sw_action_name(row->action_id);
    copy.row.durations.bin = copy.row.rates.bin = NULL;
    copy.row.counter = NULL;
    copy.counters = counters_copy(report, row);
    copy.in_step = (row->phase_id == SW_PHASE_TRAIN || valid) &&
                   (size_t)row->action_id < run->actions[valid] &&
                   run->in_step[valid][row->action_id];
    return copy;
}

/* Returns whether a row has the value of a column. A row is a copy of the fields that this program
 * knows. */
static bool holds(const struct sw_column *column)
{
    return sw_column_is_known(column) &&
           !(column->flags & (SW_COLUMN_REPEATED | SW_COLUMN_OF_COUNTER)) &&
           column->offset < sizeof(struct sw_report_row);
}

/* Those of counters go with the report that they are of. */
static bool columns_copy(struct collected_report *to)
{
    struct sw_report *report = &to->report;
    size_t count = 0;
    to->column = calloc(report->column_count + 1, sizeof *to->column);
    for (size_t i = 0; to->column && i < report->column_count; i++)
        if (holds(sw_report_column(report, i)))
            to->column[count++] = *sw_report_column(report, i);
    report->column = to->column;
    report->column_count = to->column ? count : 0;
    report->column_size = sizeof *to->column;
    return to->column;
}

static void rows_free(struct collected_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_decref(rows[i].counters);
    free(rows);
}

/* Every row of a report has the same counters. Returns false if out of memory. */
static bool counter_list_copy(struct collected_report *to, const struct sw_report *from)
{
    size_t count = from->count ? from->counter_count : 0;
    to->counter = calloc(count + 1, sizeof *to->counter);
    for (size_t i = 0; to->counter && i < count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(from, sw_report_row(from, 0), i);
        json_t *name = text_json(counter->name);
        struct collected_counter *copy = &to->counter[to->counters++];
        copy->name = name ? strdup(json_string_value(name)) : NULL;
        copy->unit = strdup(counter->unit);
        copy->peak = counter->kind == SW_COUNTER_PEAK;
        json_decref(name);
        if (!copy->name || !copy->unit)
            return false;
    }
    return to->counter;
}

/* Returns false if out of memory. */
static bool rows_copy(const struct collected *run, struct collected_report *to,
                      const struct sw_report *from)
{
    to->row = calloc(from->count + 1, sizeof *to->row);
    to->shaped = calloc(from->shaped_count + 1, sizeof *to->shaped);
    if (!to->row || !to->shaped) {
        to->count = to->shaped_count = 0;
        return false;
    }
    for (size_t i = 0; i < from->count; i++)
        to->row[i] = row_copy(run, from, sw_report_row(from, i));
    for (size_t i = 0; i < from->shaped_count; i++)
        to->shaped[i] = row_copy(run, from, sw_report_shaped(from, i));
    return true;
}

/* ---- what belongs to a report ---- */

/* The findings and the run's own line come on another thread than reports, but only when all
 * reports before them are there (run_replay.h). Returns the report of a fit; NULL: it is not there.
 */
static struct collected_report *report_of(const struct collected *to, int64_t fit)
{
    for (size_t i = to->count; i-- > to->complete;)
        if (to->report[i].report.fit == fit)
            return &to->report[i];
    return NULL;
}

/* Takes from the run's own report what a replay cannot measure. The line of a fit that was still
 * open comes before the report that is made. */
static void unplayed_take(const struct collected *to, struct collected_report *report)
{
    static const struct collected_own nothing = {.misuses = -1, .discarded = -1, .own_ns = NAN};
    const struct collected_own *own = to->own.fit == report->report.fit ? &to->own : &nothing;
    struct sw_accounting *a = &report->report.accounting;
    a->misuses = own->misuses < 0 ? a->misuses : own->misuses;
    a->discarded = own->discarded < 0 ? a->discarded : own->discarded;
    a->own_ns = own->own_ns;
    a->own_threads_ns = own->own_threads_ns;
    a->own_ns_per_step = a->steps ? a->own_ns / (double)a->steps : 0;
    a->joules = own->joules;
    a->rss_bytes = own->rss_bytes;
    a->peak_rss_bytes = own->peak_rss_bytes;
    free(report->misuse);
    report->misuse = log_value_copy(own->misuse);
}

/* The rest of its line, with all rows, takes more than the report that is made again. */
static void own_take(struct collected *to, const struct log_value *line)
{
    free(to->own.misuse);
    to->own = (struct collected_own){.fit = log_integer(line, "fit", 0),
                                     .misuses = log_integer(line, "misuses", -1),
                                     .discarded = log_integer(line, "discarded", -1),
                                     .rss_bytes = log_integer(line, "rss_bytes", 0),
                                     .peak_rss_bytes = log_integer(line, "peak_rss_bytes", 0),
                                     .own_ns = log_real(line, "own_ns", NAN),
                                     .own_threads_ns = log_real(line, "own_threads_ns", 0),
                                     .joules = log_real(line, "joules", 0),
                                     .misuse = log_value_copy(log_get(line, "misuse"))};
    struct collected_report *report = report_of(to, to->own.fit);
    if (report)
        unplayed_take(to, report);
}

static void findings_take(void *arg, int64_t number, int64_t steps, int64_t judged,
                          struct swi_advice *advice)
{
    struct collected *to = arg;
    struct collected_report *report = steps > 0 ? report_of(to, number) : NULL;
    (void)judged;
    to->judged = number;
    swi_advice_free(report ? &report->advice : advice);
    if (report)
        report->advice = *advice;
}

/* ---- reports that are complete ---- */

static void report_free(struct collected_report *report)
{
    swi_advice_free(&report->advice);
    for (size_t i = 0; i < report->counters; i++) {
        free(report->counter[i].name);
        free(report->counter[i].unit);
    }
    free(report->counter);
    rows_free(report->row, report->count);
    rows_free(report->shaped, report->shaped_count);
    free(report->column);
    free(report->misuse);
}

static void report_complete(struct collected *to, struct collected_report *report)
{
    if (!to->each) {
        to->complete++;
        return;
    }
    to->each(to->arg, report);
    report_free(report);
    to->count--;
    memmove(to->report, to->report + 1, to->count * sizeof *to->report);
}

/* Its findings are known, and so is the line of its fit, which comes before the next fit begins. A
 * log of results has no findings but those of the report. */
static bool is_complete(const struct collected *to, const struct collected_report *report)
{
    int fit = report->report.fit;
    return fit != to->report[to->count - 1].report.fit && (to->results || fit <= to->judged);
}

static void complete_take(struct collected *to, bool all)
{
    while (to->complete < to->count && (all || is_complete(to, &to->report[to->complete])))
        report_complete(to, &to->report[to->complete]);
}

static int report_add(struct collected *to, const struct sw_report *report, struct sw_error *err)
{
    /* The second report of a fit replaces the first. */
    if (report->amended && to->count && to->report[to->count - 1].report.fit == report->fit)
        report_free(&to->report[--to->count]);
    if (!swi_vec_room(&to->report, to->count, sizeof *to->report))
        return no_memory(err);
    struct collected_report copy = {
        .report = *report, .count = report->count, .shaped_count = report->shaped_count};
    bool fine = rows_copy(to, &copy, report) && counter_list_copy(&copy, report);
    /* A report that is made again has none: they are found anew, from all steps. */
    if (fine && report->finding_count)
        fine = swi_advice_copy(&copy.advice, report->finding, report->finding_count,
                               report->finding_size);
    if (!fine) {
        report_free(&copy);
        return no_memory(err);
    }
    copy.report.row = NULL;
    copy.report.shaped = NULL;
    copy.report.shaped_count = 0;
    unplayed_take(to, &copy);
    to->report[to->count] = copy;
    return columns_copy(&to->report[to->count++]) ? 0 : no_memory(err);
}

static int take_ranks(struct collected *to, const struct sw_ranks *ranks, struct sw_error *err)
{
    if (!ranks->complete)
        return 0;
    sw_ranks_free(to->ranks);
    to->ranks = sw_ranks_copy(ranks);
    return to->ranks ? 0 : no_memory(err);
}

static int take_record(void *arg, struct sw_sink *sink, const struct sw_record *record,
                       struct sw_error *err)
{
    struct collected *to = arg;
    (void)sink;
    log_fits_record(&to->fits, record);
    if (record->type == SW_RECORD_MARK || record->type == SW_RECORD_METRICS)
        return 0;
    if (record->type == SW_RECORD_STEP)
        return take_step(to, record, err);
    if (record->type == SW_RECORD_RANKS)
        return take_ranks(to, record->ranks, err);
    int rc = report_add(to, record->report, err);
    complete_take(to, false);
    return rc;
}

/* ---- the whole ---- */

/* Values are shown as the log has them. */
static void take_value(struct collected *to, const struct log_value *line)
{
    char key[320];
    enum line_type type = log_type(line);
    if (type == LINE_VALUE) {
        snprintf(key, sizeof key, "%s %s", log_string(line, "kind", ""),
                 log_string(line, "name", ""));
        kept_lines_put(&to->values, key, line);
    } else if (type == LINE_ALERT) {
        kept_lines_add(&to->alerts, line);
    } else if (type == LINE_SUMMARY) {
        kept_lines_put(&to->summary, log_string(line, "name", ""), log_get(line, "value"));
    } else if (type == LINE_CONFIG) {
        kept_lines_put(&to->config, log_string(line, "name", ""), log_get(line, "value"));
    } else if (type == LINE_METRIC && !log_get(line, "by")) {
        metric_list_add(&to->metrics, log_string(line, "name", ""),
                        (double)log_integer(line, "step", 0), log_real(line, "value", 0));
    }
}

/* Takes the names from the log's first line. Those of the replay would be of this program. */
static void take_line(void *arg, const struct log_value *line)
{
    struct collected *to = arg;
    log_fits_line(&to->fits, line);
    if (!to->each)
        take_value(to, line);
    if (log_is_type(line, LINE_REPORT))
        own_take(to, line);
    if (!log_is_type(line, LINE_RUN) || to->name)
        return;
    to->name = strdup(log_string(line, "name", ""));
    to->program = strdup(log_string(line, "program", ""));
    to->host = strdup(log_string(line, "host", ""));
    to->started_s = log_real(line, "started", 0);
    to->results = log_is_of_results(line);
    to->regions = log_has_regions(line);
}

int collect_run(struct collected *collected, const char *path, collected_fn *each, void *arg,
                struct sw_error *err)
{
    *collected =
        (struct collected){.replay = {.path = path,
                                      .line = take_line,
                                      .record = take_record,
                                      .wants = SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REPORT) |
                                               SW_WANT(SW_RECORD_RANKS),
                                      .wants_of_regions = LOG_FITS_WANTS,
                                      .arg = collected,
                                      .leave_out = true,
                                      .wants_metric = swi_is_memory_name},
                           .fits = {.tell = findings_take, .arg = collected},
                           .each = each,
                           .arg = arg};
    int rc = replay_run(&collected->replay, err);
    collected->regions = collected->regions && !collected->replay.held.sampled;
    log_fits_tell(&collected->fits);
    complete_take(collected, true);
    if (rc == 0 && (!collected->name || !collected->program || !collected->host))
        rc = no_memory(err);
    return rc;
}

void collect_free(struct collected *collected)
{
    for (size_t i = 0; i < collected->count; i++)
        report_free(&collected->report[i]);
    free(collected->report);
    sw_ranks_free(collected->ranks);
    free(collected->name);
    free(collected->program);
    free(collected->host);
    steps_free(&collected->steps);
    free(collected->own.misuse);
    free(collected->in_step[0]);
    free(collected->in_step[1]);
    kept_lines_free(&collected->values);
    kept_lines_free(&collected->alerts);
    kept_lines_free(&collected->summary);
    kept_lines_free(&collected->config);
    metric_list_free(&collected->metrics);
    log_fits_free(&collected->fits);
    *collected = (struct collected){0};
}
