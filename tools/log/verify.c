/* SPDX-License-Identifier: MIT */
#include "tools/log/verify.h"

#include "tools/log/log_lines.h"
#include "tools/output/text.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Recorded durations are whole nanoseconds, so the results may differ this much. */
#define ROUNDING_NS 1.0
#define ROUNDING_SHARE 0.01
#define SELF_SHARE " self share"
enum { SHOWN_MAX = 20 };

struct verify {
    json_t *recorded; /* metrics "STEP NAME" and rows "fit FIT PHASE/ACTION" of the log */
    json_t *made;
};
static struct verify verify;

static void metric_key(char *buffer, size_t size, int64_t step, const char *name)
{
    snprintf(buffer, size, "step %" PRId64 " %s", step, name);
}

/* self_ns: NAN if it is not compared. Its share of the total is compared, because rounding many
 * durations adds up. */
static void row_put(json_t *to, int64_t fit, const char *phase, const char *action, int64_t calls,
                    double mean_ns, double total_ns, double self_ns)
{
    char key[600];
    snprintf(key, sizeof key, "fit %" PRId64 " %s/%s calls", fit, phase, action);
    json_object_set_new(to, key, json_integer(calls));
    snprintf(key, sizeof key, "fit %" PRId64 " %s/%s mean_ns", fit, phase, action);
    json_object_set_new(to, key, json_real(mean_ns));
    snprintf(key, sizeof key, "fit %" PRId64 " %s/%s total_ns", fit, phase, action);
    if (isfinite(total_ns))
        json_object_set_new(to, key, json_real(total_ns));
    snprintf(key, sizeof key, "fit %" PRId64 " %s/%s" SELF_SHARE, fit, phase, action);
    if (isfinite(self_ns / total_ns))
        json_object_set_new(to, key, json_real(self_ns / total_ns));
}

static void overall_put(json_t *to, int64_t fit, const char *phase, double samples_per_s)
{
    char key[64];
    snprintf(key, sizeof key, "fit %" PRId64 " %s", fit, phase);
    if (isfinite(samples_per_s))
        json_object_set_new(to, key, json_real(samples_per_s));
}

static void recorded_overall(const json_t *line, const char *phase)
{
    const json_t *overall = json_object_get(line, phase);
    overall_put(verify.recorded, log_integer(line, "fit", 1), phase,
                log_number(json_object_get(overall, "samples_per_s"), NAN));
}

static void fit_put(json_t *to, int64_t fit, double fit_ns)
{
    char key[64];
    snprintf(key, sizeof key, "fit %" PRId64 " fit_ns", fit);
    json_object_set_new(to, key, json_real(fit_ns));
}

/* Takes everything but what cannot be in the log. */
static void recorded_report(const struct held *held, const json_t *line)
{
    size_t i;
    json_t *row;
    const json_t *fit_ns = json_object_get(line, "fit_ns");
    if (fit_ns)
        fit_put(verify.recorded, log_integer(line, "fit", 1), log_number(fit_ns, 0));
    recorded_overall(line, "overall_train");
    recorded_overall(line, "overall_valid");
    json_array_foreach(json_object_get(line, "rows"), i, row)
    {
        const char *phase = log_string(row, "phase", ""), *action = log_string(row, "action", "");
        if (held_row(held, phase, action))
            row_put(verify.recorded, log_integer(line, "fit", 1), phase, action,
                    log_integer(row, "calls", 0), log_number(json_object_get(row, "mean_ns"), 0),
                    log_number(json_object_get(row, "total_ns"), NAN),
                    held_self(held, phase, action)
                        ? log_number(json_object_get(row, "self_ns"), NAN)
                        : NAN);
    }
}

/* One more of what the key says. */
static void count(json_t *to, const char *key)
{
    json_object_set_new(to, key, json_integer(json_integer_value(json_object_get(to, key)) + 1));
}

static void count_picture(json_t *to, const char *name, const char *sha256)
{
    char key[600];
    snprintf(key, sizeof key, "pictures %s sha256 %s calls", name, sha256);
    count(to, key);
}

/* But for what is in no file. */
static void recorded_value(const json_t *line)
{
    char key[64];
    size_t i;
    json_t *picture;
    enum sw_value_kind kind = value_line_kind(line);
    if (!kind || kind == SW_VALUE_FILE)
        return;
    if (kind != SW_VALUE_IMAGES) {
        snprintf(key, sizeof key, "values of kind %d calls", (int)kind);
        count(verify.recorded, key);
    }
    json_array_foreach(json_object_get(line, "pictures"), i, picture)
    {
        if (json_object_get(picture, "file") || json_object_get(picture, "base64"))
            count_picture(verify.recorded, log_string(line, "name", ""),
                          log_string(picture, "sha256", ""));
    }
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
            count_picture(verify.made, value->name, picture->sha256);
    }
    snprintf(key, sizeof key, "values of kind %d calls", (int)value->kind);
    if (!value->pictures && !value->file)
        count(verify.made, key);
}

static void recorded_line(void *arg, const json_t *line)
{
    char key[600];
    const struct replay *replay = arg;
    if (strcmp(log_string(line, "type", ""), "value") == 0)
        recorded_value(line);
    if (strcmp(log_string(line, "by", ""), "profiler") != 0)
        return;
    if (strcmp(log_string(line, "type", ""), "report") == 0)
        recorded_report(&replay->held, line);
    if (strcmp(log_string(line, "type", ""), "metric") != 0)
        return;
    metric_key(key, sizeof key, log_integer(line, "step", 0), log_string(line, "name", ""));
    double value = log_number(json_object_get(line, "value"), 0);
    if (isfinite(value))
        json_object_set_new(verify.recorded, key, json_real(value));
}

static int made_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    char key[600];
    struct sw_sink *const *sink = state;
    (void)err;
    if (record->value)
        made_value(*sink, record->value);
    for (size_t i = 0; record->type == SW_RECORD_METRICS && i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        metric_key(key, sizeof key, record->step, metric->name);
        if (metric->by == SW_BY_PROFILER && isfinite(metric->value))
            json_object_set_new(verify.made, key, json_real(metric->value));
    }
    if (record->type == SW_RECORD_REPORT) {
        const struct sw_report *report = record->report;
        overall_put(verify.made, report->fit, "overall_train", report->overall_train.samples_per_s);
        overall_put(verify.made, report->fit, "overall_valid", report->overall_valid.samples_per_s);
    }
    if (record->type == SW_RECORD_REPORT)
        fit_put(verify.made, record->report->fit, record->report->fit_ns);
    for (size_t i = 0; record->type == SW_RECORD_REPORT && i < record->report->count; i++) {
        const struct sw_report_row *row = sw_report_row(record->report, i);
        row_put(verify.made, record->report->fit, row->phase, row->action, row->calls, row->mean_ns,
                row->total_ns, row->self_ns);
    }
    return 0;
}

static int made_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct sw_sink **own = state;
    (void)err;
    *own = sink;
    return 0;
}

static const struct sw_sink_plugin verify_sink = {
    SW_SINK_HEADER,
    .name = "verify",
    .version = "1.0",
    .license = "MIT",
    .summary = "keeps what a replay makes",
    .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_VALUE),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 65536,
    .state_size = sizeof(struct sw_sink *),
    .open = made_open,
    .record = made_record,
};

/* Allows for 1 ns in a mean duration, and its effect on a rate. */
static bool is_close(const char *key, double a, double b)
{
    double difference = fabs(a - b), size = fmax(fabs(a), fabs(b));
    if (strstr(key, " calls"))
        return a == b;
    double floor = strstr(key, SELF_SHARE)    ? ROUNDING_SHARE
                   : strstr(key, "_ns")       ? ROUNDING_NS
                   : strstr(key, " time_ms/") ? ROUNDING_NS * 1e-6
                                              : 0;
    return difference <= fmax(floor, ROUNDING_SHARE * size);
}

static int differences_print(void)
{
    const char *key;
    json_t *value;
    int count = 0;
    json_object_foreach(verify.recorded, key, value)
    {
        const json_t *made = json_object_get(verify.made, key);
        if (made && is_close(key, json_number_value(value), json_number_value(made)))
            continue;
        if (count++ >= SHOWN_MAX)
            continue;
        text_put(key, 0);
        if (made)
            printf(": recorded %.9g, replayed %.9g\n", json_number_value(value),
                   json_number_value(made));
        else
            printf(": recorded %.9g, not replayed\n", json_number_value(value));
    }
    return count;
}

int verify_run(struct replay *replay, struct sw_error *err)
{
    int rc = sw_sink_register(&verify_sink, NULL, err);
    if (rc < 0)
        return rc;
    verify = (struct verify){json_object(), json_object()};
    replay->line = recorded_line;
    replay->arg = replay;
    replay->sinks = "[verify]";
    rc = replay_run(replay, err);
    if (rc == 0 && replay->results_only)
        rc = sw_error_set(err, SW_EFORMAT,
                          "%s: contains only results, and nothing to verify them with: record it "
                          "with detail: steps or regions",
                          replay->path);
    if (rc == 0)
        rc = differences_print();
    if (rc >= 0) {
        text_put(replay->path, 0);
        printf(": %zu results compared, %d differ\n", json_object_size(verify.recorded), rc);
    }
    json_decref(verify.recorded);
    json_decref(verify.made);
    return rc;
}
