/* SPDX-License-Identifier: MIT */
#include "tools/log/run_replay.h"

#include "core/text/map.h"
#include "core/text/vec.h"
#include "tools/log/log_lines.h"
#include "tools/log/verified_metric.h"
#include "tools/output/print.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Recorded durations are whole nanoseconds, so the results may differ this much. */
#define ROUNDING_NS 1.0
#define ROUNDING_SHARE 0.01

/* The report of a fit may be replaced by a second one, which comes soon after its end; of one that
 * only the run or only the replay has, the other one may still come. */
enum { FITS_LATER = 2, FITS_MOST = 512 };

/* The samples of the newest steps, from which a rolling average is made. */
enum { WINDOW_MOST = 4096 };

/* Its figures by name, and its rows by "PHASE/ACTION", of the run and of the replay. */
struct verified_fit {
    int64_t number;
    json_t *figure[2], *row[2];
};

/* The recorded results come on one thread, and those that are made on another. Each is compared as
 * soon as both have it, so that only those of the last lines and fits are kept. */
static struct {
    pthread_mutex_t lock;
    const struct held *held;
    json_t *counts[2]; /* of logged values, by what they are */
    size_t fits, fits_room;
    struct verified_fit *fit; /* those that are not compared yet */
    struct verified_part figures, rows;
    struct swi_map names;
    struct verified_metric *metric; /* by name */
    bool failed;                    /* out of memory */
    int64_t samples[WINDOW_MOST];
    size_t steps, window;
} verify;

static json_t *made_object(json_t **object)
{
    if (!*object)
        *object = json_object();
    return *object;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void numbers_compare(struct verified_part *part, const char *key, const char *figure,
                            const json_t *recorded, const json_t *made, double slack)
{
    double value = text_json_value(made);
    verified_compare(part, key, figure, text_json_value(recorded), made ? &value : NULL, slack);
}

static void figures_compare(const char *of, const json_t *recorded, const json_t *made)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)recorded, name, value)
    {
        char key[640];
        snprintf(key, sizeof key, "%s%s", of, name);
        numbers_compare(&verify.figures, key, "", value, json_object_get(made, name),
                        strstr(name, "_ns") ? ROUNDING_NS : 0);
    }
}

/* Rounding changes a mean by a nanosecond, and a total by one for each call. Own calls between
 * steps are in the run's report, but not in a log of steps. */
static void row_compare(const char *key, const json_t *row, const json_t *made)
{
    double calls = json_number_value(json_object_get(row, "calls"));
    double mean_ns = json_number_value(json_object_get(row, "mean_ns"));
    const struct {
        const char *name;
        double slack;
    } figures[] = {{"calls", -1},
                   {"mean_ns", ROUNDING_NS},
                   {"total_ns", ROUNDING_NS * calls},
                   {"self share", fmax(ROUNDING_SHARE, 2 * ROUNDING_NS / mean_ns)}};
    bool fewer = json_number_value(json_object_get(made, "calls")) < calls;
    if (fewer && json_is_true(json_object_get(row, "maybe outside")))
        return;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *value = json_object_get(row, figures[i].name);
        if (value)
            numbers_compare(&verify.rows, key, figures[i].name, value,
                            json_object_get(made, figures[i].name), figures[i].slack);
    }
}

static void fit_free(struct verified_fit *fit)
{
    for (int side = 0; side < 2; side++) {
        json_decref(fit->figure[side]);
        json_decref(fit->row[side]);
    }
}

/* Compares the oldest fit and forgets it. */
static void oldest_compare(void)
{
    struct verified_fit *fit = &verify.fit[0];
    char of[40], key[640];
    const char *name;
    json_t *row;
    snprintf(of, sizeof of, "fit %" PRId64 " ", fit->number);
    figures_compare(of, fit->figure[VERIFIED_RECORDED], fit->figure[VERIFIED_MADE]);
    json_object_foreach(fit->row[VERIFIED_RECORDED], name, row)
    {
        snprintf(key, sizeof key, "%s%s", of, name);
        row_compare(key, row, json_object_get(fit->row[VERIFIED_MADE], name));
    }
    fit_free(fit);
    memmove(fit, fit + 1, --verify.fits * sizeof *fit);
}

static bool has_both(const struct verified_fit *fit)
{
    return fit->figure[VERIFIED_RECORDED] && fit->figure[VERIFIED_MADE];
}

/* Returns NULL if out of memory. */
static struct verified_fit *fit_of(int64_t number)
{
    for (size_t i = verify.fits; i-- > 0;)
        if (verify.fit[i].number == number)
            return &verify.fit[i];
    while (verify.fits > FITS_MOST ||
           (verify.fits > FITS_LATER && has_both(&verify.fit[FITS_LATER]) && has_both(verify.fit)))
        oldest_compare();
    if (!swi_vec_grow(&verify.fit, verify.fits, &verify.fits_room, sizeof *verify.fit)) {
        verify.failed = true;
        return NULL;
    }
    verify.fit[verify.fits] = (struct verified_fit){.number = number};
    return &verify.fit[verify.fits++];
}

/* ---- results of either ----------------------------------------------------------------------- */

/* A figure of a fit. */
static void figure_put(enum verified_side side, int64_t fit, const char *name, double value)
{
    pthread_mutex_lock(&verify.lock);
    struct verified_fit *of = fit_of(fit);
    if (of && isfinite(value))
        json_object_set_new(made_object(&of->figure[side]), name, json_real(value));
    pthread_mutex_unlock(&verify.lock);
}

/* A row of a report. total_ns, self_ns: NAN if they are not compared. The self time's share of the
 * total is compared, because rounding many durations adds up. */
struct verified_row {
    const char *phase, *action;
    int64_t calls;
    double mean_ns, total_ns, self_ns;
};

static void row_put(enum verified_side side, int64_t fit, const struct verified_row *row)
{
    char key[600];
    bool outside = held_maybe_outside(verify.held, row->phase, row->action);
    json_t *figures = json_pack("{s:b, s:I, s:f}", "maybe outside", outside, "calls",
                                (json_int_t)row->calls, "mean_ns", row->mean_ns);
    if (isfinite(row->total_ns))
        json_object_set_new(figures, "total_ns", json_real(row->total_ns));
    if (isfinite(row->self_ns / row->total_ns))
        json_object_set_new(figures, "self share", json_real(row->self_ns / row->total_ns));
    snprintf(key, sizeof key, "%s/%s", row->phase, row->action);
    pthread_mutex_lock(&verify.lock);
    struct verified_fit *of = fit_of(fit);
    if (of)
        json_object_set(made_object(&of->row[side]), key, figures);
    pthread_mutex_unlock(&verify.lock);
    json_decref(figures);
}

/* One more logged value of what the key says. */
static void value_count(enum verified_side side, const char *key)
{
    pthread_mutex_lock(&verify.lock);
    json_t *counts = made_object(&verify.counts[side]);
    json_int_t before = json_integer_value(json_object_get(counts, key));
    json_object_set_new(counts, key, json_integer(before + 1));
    pthread_mutex_unlock(&verify.lock);
}

static void picture_count(enum verified_side side, const char *name, const char *sha256)
{
    char key[600];
    snprintf(key, sizeof key, "pictures %s sha256 %s calls", name, sha256);
    value_count(side, key);
}

/* But for files, and for pictures, which are counted one by one. */
static void kind_count(enum verified_side side, enum sw_value_kind kind)
{
    char key[64];
    snprintf(key, sizeof key, "values of kind %d calls", (int)kind);
    if (kind != SW_VALUE_IMAGES && kind != SW_VALUE_FILE)
        value_count(side, key);
}

/* slack: in the unit of the value; only that of the replay counts. */
static void metric_put(enum verified_side side, const char *name, int64_t step, double value,
                       double slack)
{
    const struct verified_value of = {step, value, slack};
    pthread_mutex_lock(&verify.lock);
    size_t before = verify.names.count;
    struct verified_metric *metric =
        swi_map_item(&verify.names, &verify.metric, sizeof *verify.metric, name, strlen(name));
    if (metric && verify.names.count > before)
        *metric = (struct verified_metric){.by_order = !verify.held->steps_only};
    verify.failed |= !metric || !verified_metric_add(metric, side, name, &of);
    pthread_mutex_unlock(&verify.lock);
}

/* ---- what the log has ------------------------------------------------------------------------ */

/* Takes everything but what cannot be in the log. */
static void recorded_report(const struct log_value *line)
{
    static const char *const phases[] = {"overall_train", "overall_valid"};
    const struct log_value *rows = log_get(line, "rows");
    int64_t fit = log_integer(line, "fit", 1);
    if (log_get(line, "fit_ns"))
        figure_put(VERIFIED_RECORDED, fit, "fit_ns", log_real(line, "fit_ns", 0));
    for (int i = 0; i < 2; i++)
        figure_put(VERIFIED_RECORDED, fit, phases[i],
                   log_real(log_get(line, phases[i]), "samples_per_s", NAN));
    for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row)) {
        const char *phase = log_string(row, "phase", ""), *action = log_string(row, "action", "");
        bool self = held_self(verify.held, phase, action);
        if (held_row(verify.held, phase, action))
            row_put(VERIFIED_RECORDED, fit,
                    &(struct verified_row){.phase = phase,
                                           .action = action,
                                           .calls = log_integer(row, "calls", 0),
                                           .mean_ns = log_real(row, "mean_ns", 0),
                                           .total_ns = log_real(row, "total_ns", NAN),
                                           .self_ns = self ? log_real(row, "self_ns", NAN) : NAN});
    }
}

static void recorded_value(const struct log_value *line)
{
    enum sw_value_kind kind = value_line_kind(line);
    const struct log_value *list = kind ? log_get(line, "pictures") : NULL;
    if (kind)
        kind_count(VERIFIED_RECORDED, kind);
    for (const struct log_value *picture = log_first(list); picture && kind != SW_VALUE_FILE;
         picture = log_after(list, picture))
        if (log_get(picture, "file") || log_get(picture, "base64"))
            picture_count(VERIFIED_RECORDED, log_string(line, "name", ""),
                          log_string(picture, "sha256", ""));
}

static void recorded_line(void *arg, const struct log_value *line)
{
    (void)arg;
    if (log_is_type(line, LINE_VALUE))
        recorded_value(line);
    if (strcmp(log_string(line, "by", ""), "profiler") != 0)
        return;
    if (log_is_type(line, LINE_REPORT))
        recorded_report(line);
    /* What steps that were added up took one by one is not known. */
    if (log_is_type(line, LINE_METRIC) && !verify.held->thinned && !log_get(line, "count"))
        metric_put(VERIFIED_RECORDED, log_string(line, "name", ""), log_integer(line, "step", 0),
                   log_real(line, "value", NAN), 0);
}

/* ---- what the replay makes ------------------------------------------------------------------- */

static void made_value(struct sw_sink *sink, const struct sw_value *value)
{
    SW_ERROR_SCOPE(err);
    const void *bytes;
    size_t size;
    kind_count(VERIFIED_MADE, value->kind);
    for (size_t i = 0; value->pictures && i < value->pictures->count; i++) {
        const struct sw_picture *picture = sw_pictures_at(value->pictures, i);
        if (sw_sink_encode(sink, picture, &bytes, &size, &err) == 0)
            picture_count(VERIFIED_MADE, value->name, picture->sha256);
    }
}

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
            metric_put(VERIFIED_MADE, metric->name, record->step, metric->value,
                       slack_of(record, metric));
    }
}

static void made_report(const struct sw_report *report)
{
    figure_put(VERIFIED_MADE, report->fit, "overall_train", report->overall_train.samples_per_s);
    figure_put(VERIFIED_MADE, report->fit, "overall_valid", report->overall_valid.samples_per_s);
    figure_put(VERIFIED_MADE, report->fit, "fit_ns", report->fit_ns);
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        row_put(VERIFIED_MADE, report->fit,
                &(struct verified_row){row->phase, row->action, row->calls, row->mean_ns,
                                       row->total_ns, row->self_ns});
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
    REPLAY_SINK,
    .name = "verify",
    .wants = SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_VALUE),
    .state_size = sizeof(struct sw_sink *),
    .open = made_open,
    .record = made_record,
};

/* ---- the whole ------------------------------------------------------------------------------- */

static void part_tell(const struct verified_part *part, struct verified *sum, int *differ)
{
    size_t i;
    json_t *one;
    json_array_foreach(part->first, i, one)
    {
        if (json_array_size(sum->differences) < VERIFIED_SHOWN)
            json_array_append(sum->differences, one);
    }
    sum->compared += part->compared;
    *differ += (int)part->differ;
}

/* Compares the rest. Returns how many results differ. */
static int rest_compare(struct verified *verified)
{
    int differ = 0;
    while (verify.fits)
        oldest_compare();
    figures_compare("", verify.counts[VERIFIED_RECORDED], verify.counts[VERIFIED_MADE]);
    part_tell(&verify.figures, verified, &differ);
    part_tell(&verify.rows, verified, &differ);
    for (size_t i = 0; i < verify.names.count; i++)
        part_tell(verified_metric_end(&verify.metric[i], verify.names.name[i].text), verified,
                  &differ);
    return differ;
}

static void all_free(void)
{
    while (verify.fits)
        fit_free(&verify.fit[--verify.fits]);
    free(verify.fit);
    for (size_t i = 0; i < verify.names.count; i++)
        verified_metric_free(&verify.metric[i]);
    free(verify.metric);
    swi_map_free(&verify.names);
    json_decref(verify.counts[0]);
    json_decref(verify.counts[1]);
    json_decref(verify.figures.first);
    json_decref(verify.rows.first);
    pthread_mutex_destroy(&verify.lock);
}

int verify_run(struct replay *replay, struct verified *verified, struct sw_error *err)
{
    verify.held = &replay->held;
    verified->differences = json_array();
    if (!verified->differences || pthread_mutex_init(&verify.lock, NULL) != 0)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the results");
    replay->line = recorded_line;
    replay->sink = &verify_sink;
    int rc = replay_run(replay, err);
    if (rc == 0 && replay->results_only)
        rc = sw_error_set(err, SW_EFORMAT,
                          "%s: contains only results, and nothing to verify them with: record it "
                          "with detail: steps or regions",
                          replay->path);
    if (rc == 0 && verify.failed)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the results");
    if (rc == 0)
        rc = rest_compare(verified);
    all_free();
    return rc;
}
