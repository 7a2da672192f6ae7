/* SPDX-License-Identifier: MIT */
#include "tools/log/verify.h"

#include "tools/log/log_lines.h"
#include "tools/log/verified_results.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of the newest steps, from which a rolling average is made. */
enum { WINDOW_MOST = 4096 };

static struct {
    struct verified_results results;
    int64_t samples[WINDOW_MOST];
    size_t steps, window;
} verify;

static void recorded_overall(const struct log_value *line, const char *phase)
{
    const struct log_value *overall = log_get(line, phase);
    verified_figure_put(&verify.results, VERIFIED_RECORDED, log_integer(line, "fit", 1), phase,
                        log_real(overall, "samples_per_s", NAN));
}

/* Takes everything but what cannot be in the log. */
static void recorded_report(const struct held *held, const struct log_value *line)
{
    const struct log_value *rows = log_get(line, "rows"), *fit_ns = log_get(line, "fit_ns");
    if (fit_ns)
        verified_figure_put(&verify.results, VERIFIED_RECORDED, log_integer(line, "fit", 1),
                            "fit_ns", log_number(fit_ns, 0));
    recorded_overall(line, "overall_train");
    recorded_overall(line, "overall_valid");
    for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row)) {
        const char *phase = log_string(row, "phase", ""), *action = log_string(row, "action", "");
        if (!held_row(held, phase, action))
            continue;
        double self_ns = log_real(row, "self_ns", NAN);
        verified_row_put(
            &verify.results, VERIFIED_RECORDED,
            &(struct verified_row){.fit = log_integer(line, "fit", 1),
                                   .phase = phase,
                                   .action = action,
                                   .calls = log_integer(row, "calls", 0),
                                   .mean_ns = log_real(row, "mean_ns", 0),
                                   .total_ns = log_real(row, "total_ns", NAN),
                                   .self_ns = held_self(held, phase, action) ? self_ns : NAN});
    }
}

static void count_picture(enum verified_side side, const char *name, const char *sha256)
{
    char key[600];
    snprintf(key, sizeof key, "pictures %s sha256 %s calls", name, sha256);
    verified_count(&verify.results, side, key);
}

/* But for what is in no file. */
static void recorded_value(const struct log_value *line)
{
    char key[64];
    enum sw_value_kind kind = value_line_kind(line);
    const struct log_value *list = log_get(line, "pictures");
    if (!kind || kind == SW_VALUE_FILE)
        return;
    if (kind != SW_VALUE_IMAGES) {
        snprintf(key, sizeof key, "values of kind %d calls", (int)kind);
        verified_count(&verify.results, VERIFIED_RECORDED, key);
    }
    for (const struct log_value *picture = log_first(list); picture;
         picture = log_after(list, picture))
        if (log_get(picture, "file") || log_get(picture, "base64"))
            count_picture(VERIFIED_RECORDED, log_string(line, "name", ""),
                          log_string(picture, "sha256", ""));
}

static void made_value(struct sw_sink *sink, const struct sw_value *value)
{
    SW_ERROR_SCOPE(err);
    char key[64];
    const void *bytes;
    size_t size;
    for (size_t i = 0; value->pictures && i < value->pictures->count; i++) {
        const struct sw_picture *picture = sw_pictures_at(value->pictures, i);
        if (sw_sink_encode(sink, picture, &bytes, &size, &err) == 0)
            count_picture(VERIFIED_MADE, value->name, picture->sha256);
    }
    snprintf(key, sizeof key, "values of kind %d calls", (int)value->kind);
    if (!value->pictures && !value->file)
        verified_count(&verify.results, VERIFIED_MADE, key);
}

static void recorded_line(void *arg, const struct log_value *line)
{
    const struct replay *replay = arg;
    if (log_is_type(line, LINE_VALUE))
        recorded_value(line);
    if (strcmp(log_string(line, "by", ""), "profiler") != 0)
        return;
    if (log_is_type(line, LINE_REPORT))
        recorded_report(&replay->held, line);
    /* What steps that were added up took one by one is not known. */
    if (log_is_type(line, LINE_METRIC) && !replay->held.thinned && !log_get(line, "count"))
        verified_metric_put(&verify.results, VERIFIED_RECORDED, log_string(line, "name", ""),
                            log_integer(line, "step", 0), log_real(line, "value", NAN), 0);
}

/* ---- what the replay makes ------------------------------------------------------------------- */

static void made_step(const struct sw_step *step)
{
    if (step->phase == SW_PHASE_TRAIN && step->samples > 0)
        verify.samples[verify.steps++ % verify.window] = step->samples;
}

/* Returns how many samples a rolling average is at least made of. */
static double samples_least(void)
{
    size_t count = verify.steps < verify.window ? verify.steps : verify.window;
    int64_t least = count ? verify.samples[0] : 1;
    for (size_t i = 1; i < count; i++)
        least = verify.samples[i] < least ? verify.samples[i] : least;
    return (double)least;
}

/* A duration of d ns that is a nanosecond too long makes a rate too low by a share of 1 / d; one
 * that is too short, too high by 1 / (d - 1). */
static double rate_slack(double per_s)
{
    double share = fabs(per_s) * 1e-9 / samples_least();
    return share < 1 ? fabs(per_s) * share / (1 - share) : INFINITY;
}

static double value_of(const struct sw_record *record, const char *name)
{
    for (size_t i = 0; i < record->metrics.count; i++)
        if (strcmp(sw_record_metric(record, i)->name, name) == 0)
            return sw_record_metric(record, i)->value;
    return 0;
}

/* The rate of draw is what it takes from that of the step: the rate of the step without that of the
 * batch. What else there is, such as a share of the peak, is a rate of the step or the batch. */
static double slack_of(const struct sw_record *record, const struct sw_metric *metric)
{
    double batch = value_of(record, "throughput/batch");
    if (strncmp(metric->name, "time_ms/", 8) == 0)
        return 1e-6;
    if (strcmp(metric->name, "throughput/draw") == 0)
        return rate_slack(batch) + rate_slack(batch + metric->value);
    if (strncmp(metric->name, "throughput/", 11) == 0)
        return rate_slack(metric->value);
    return batch > 0 ? fabs(metric->value) * rate_slack(batch) / batch : 0;
}

static void made_metrics(const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->by == SW_BY_PROFILER)
            verified_metric_put(&verify.results, VERIFIED_MADE, metric->name, record->step,
                                metric->value, slack_of(record, metric));
    }
}

static void made_report(const struct sw_report *report)
{
    const struct {
        const char *name;
        double value;
    } figures[] = {{"overall_train", report->overall_train.samples_per_s},
                   {"overall_valid", report->overall_valid.samples_per_s},
                   {"fit_ns", report->fit_ns}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        verified_figure_put(&verify.results, VERIFIED_MADE, report->fit, figures[i].name,
                            figures[i].value);
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        verified_row_put(&verify.results, VERIFIED_MADE,
                         &(struct verified_row){.fit = report->fit,
                                                .phase = row->phase,
                                                .action = row->action,
                                                .calls = row->calls,
                                                .mean_ns = row->mean_ns,
                                                .total_ns = row->total_ns,
                                                .self_ns = row->self_ns});
    }
}

static int made_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct sw_sink *const *sink = state;
    (void)err;
    if (record->type == SW_RECORD_STEP)
        made_step(record->step_done);
    else if (record->type == SW_RECORD_METRICS)
        made_metrics(record);
    else if (record->type == SW_RECORD_REPORT)
        made_report(record->report);
    else if (record->value)
        made_value(*sink, record->value);
    return 0;
}

static int made_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct sw_sink **own = state;
    (void)err;
    *own = sink;
    verify.window = sink->run->rolling_average < 1             ? 1
                    : sink->run->rolling_average > WINDOW_MOST ? WINDOW_MOST
                                                               : (size_t)sink->run->rolling_average;
    return 0;
}

static const struct sw_sink_plugin verify_sink = {
    SW_SINK_HEADER,
    .name = "verify",
    .version = "1.0",
    .license = "MIT",
    .summary = "keeps what a replay makes",
    .wants = SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_VALUE),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 65536,
    .state_size = sizeof(struct sw_sink *),
    .open = made_open,
    .record = made_record,
};

int verify_run(struct replay *replay, struct verified *verified, struct sw_error *err)
{
    int rc = sw_sink_register(&verify_sink, NULL, err);
    if (rc < 0)
        return rc;
    verified->differences = json_array();
    if (!verified->differences || !verified_results_init(&verify.results, &replay->held))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the results");
    replay->line = recorded_line;
    replay->arg = replay;
    replay->sinks = "[verify]";
    rc = replay_run(replay, err);
    if (rc == 0 && replay->results_only)
        rc = sw_error_set(err, SW_EFORMAT,
                          "%s: contains only results, and nothing to verify them with: record it "
                          "with detail: steps or regions",
                          replay->path);
    if (rc == 0 && verify.results.failed)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the results");
    if (rc == 0)
        rc = verified_differences(&verify.results, verified->differences, &verified->compared);
    verified_results_fini(&verify.results);
    return rc;
}
