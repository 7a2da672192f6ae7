/* SPDX-License-Identifier: MIT */
#include "tools/log/run_replay.h"

#include "core/text/map.h"
#include "core/text/vec.h"
#include "tools/log/log_lines.h"
#include "tools/output/print.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Recorded durations are whole nanoseconds, so the results may differ this much, and what is made
 * of them by this share. */
#define ROUNDING_NS 1.0
#define ROUNDING_SHARE 0.01

/* The samples of the newest steps, from which a rolling average is made. */
enum { WINDOW_MOST = 4096 };

/* Whose result it is. */
enum side { RECORDED, MADE };

/* What was compared; of the differences, the first ones. */
enum { SHOWN = 20 };
struct verified_part {
    size_t compared, differ;
    json_t *first; /* differences; NULL: none yet */
};

struct verified_value {
    int64_t step;
    double value, slack;
};

/* Values that wait, the oldest first. */
struct verified_queue {
    struct verified_value *item;
    size_t room, first, count; /* those before `first` are gone */
};

/* The values of one metric of the run and of its replay, which are compared as they come. Those of
 * a step belong to each other. A step's number may occur several times, and a log of regions does
 * not have all numbers that sw_set_step() gave: if there are as many values, they belong to each
 * other in their order. */
struct verified_metric {
    struct verified_queue by_step[2], in_order[2];
    size_t looked; /* so many of what is made have other steps than the oldest that was recorded */
    int64_t count[2];
    bool by_order; /* whether values may belong to each other in their order */
    struct verified_part step_part, order_part;
};

/* Recorded metrics come on one thread, and those that are made on another. Each is compared as soon
 * as both have it, so that only those of the last lines are kept. */
static struct {
    pthread_mutex_t lock;
    const struct held *held;
    int64_t fit; /* of the report that was compared last */
    struct verified_part figures, rows;
    struct swi_map values; /* what was logged, by what it is */
    struct value_count {
        double calls[2];
    } * count; /* of each value */
    struct swi_map names;
    struct verified_metric *metric; /* by name */
    bool failed;                    /* out of memory */
    int64_t samples[WINDOW_MOST];
    size_t steps;
} verify;

/* ---- comparing ------------------------------------------------------------------------------- */

/* Compares a recorded value with one that is made; NULL: there is none. key, figure: its name.
 * slack: in its unit; negative: they must be the same. */
static void compare(struct verified_part *part, const char *key, const char *figure,
                    double recorded, const double *made, double slack)
{
    double value = made ? *made : 0;
    double most = slack < 0 ? 0 : fmax(slack, ROUNDING_SHARE * fmax(fabs(recorded), fabs(value)));
    char result[1200];
    part->compared++;
    if (made && fabs(recorded - value) <= most)
        return;
    if (part->differ++ >= SHOWN)
        return;
    if (!part->first)
        part->first = json_array();
    snprintf(result, sizeof result, "%s%s%s", key, *figure ? " " : "", figure);
    json_array_append_new(part->first, json_pack("{s:o, s:o, s:o}", "result", text_json(result),
                                                 "recorded", text_json_number(recorded), "replayed",
                                                 made ? text_json_number(value) : json_null()));
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* A value that so many others came after has no other one: the player waits for the sinks after
 * each 1,000 lines. */
enum { LATER_MOST = 4096 };

static size_t waiting(const struct verified_queue *queue)
{
    return queue->count - queue->first;
}

static bool push(struct verified_queue *queue, const struct verified_value *value)
{
    if (queue->first > LATER_MOST) {
        queue->count -= queue->first;
        memmove(queue->item, queue->item + queue->first, queue->count * sizeof *queue->item);
        queue->first = 0;
    }
    if (!swi_vec_grow(&queue->item, queue->count, &queue->room, sizeof *queue->item))
        return false;
    queue->item[queue->count++] = *value;
    return true;
}

/* made: NULL if the replay does not have it. */
static void pair_compare(struct verified_part *part, const char *name,
                         const struct verified_value *recorded, const struct verified_value *made)
{
    char key[600];
    if (!isfinite(recorded->value))
        return;
    snprintf(key, sizeof key, "step %lld %s", (long long)recorded->step, name);
    compare(part, key, "", recorded->value, made ? &made->value : NULL, made ? made->slack : 0);
}

/* Values are in the same order, and few are missing. Returns the one that belongs to the oldest
 * recorded value, or NULL. */
static const struct verified_value *made_find(struct verified_metric *metric, int64_t step)
{
    const struct verified_queue *made = &metric->by_step[MADE];
    for (; metric->looked < waiting(made) && metric->looked < LATER_MOST; metric->looked++)
        if (made->item[made->first + metric->looked].step == step)
            return &made->item[made->first + metric->looked];
    return NULL;
}

/* last: no more values come. */
static void steps_compare(struct verified_metric *metric, const char *name, bool last)
{
    struct verified_queue *recorded = &metric->by_step[RECORDED], *made = &metric->by_step[MADE];
    while (waiting(recorded)) {
        const struct verified_value *oldest = &recorded->item[recorded->first];
        const struct verified_value *found = made_find(metric, oldest->step);
        if (!found && !last && waiting(recorded) <= LATER_MOST && waiting(made) < LATER_MOST)
            return;
        pair_compare(&metric->step_part, name, oldest, found);
        recorded->first++;
        made->first += found ? metric->looked + 1 : 0;
        metric->looked = 0;
    }
    made->first += waiting(made) > LATER_MOST;
}

static void order_compare(struct verified_metric *metric, const char *name)
{
    struct verified_queue *recorded = &metric->in_order[RECORDED], *made = &metric->in_order[MADE];
    while (waiting(recorded) && waiting(made))
        pair_compare(&metric->order_part, name, &recorded->item[recorded->first++],
                     &made->item[made->first++]);
    metric->by_order = waiting(recorded) <= LATER_MOST && waiting(made) <= LATER_MOST;
}

/* slack: in the unit of the value; only that of the replay counts. */
static void metric_put(enum side side, const char *name, int64_t step, double value, double slack)
{
    const struct verified_value of = {step, value, slack};
    pthread_mutex_lock(&verify.lock);
    size_t before = verify.names.count;
    struct verified_metric *metric =
        swi_map_item(&verify.names, &verify.metric, sizeof *verify.metric, name, strlen(name));
    if (metric && verify.names.count > before)
        metric->by_order = !verify.held->steps_only;
    bool fine = metric && push(&metric->by_step[side], &of) &&
                (!metric->by_order || push(&metric->in_order[side], &of));
    verify.failed |= !fine;
    if (fine) {
        metric->count[side]++;
        steps_compare(metric, name, false);
    }
    if (fine && metric->by_order)
        order_compare(metric, name);
    pthread_mutex_unlock(&verify.lock);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void figure_compare(int64_t fit, const char *name, double recorded, const double *made)
{
    char key[640];
    snprintf(key, sizeof key, "fit %" PRId64 " %s", fit, name);
    if (isfinite(recorded))
        compare(&verify.figures, key, "", recorded, made && isfinite(*made) ? made : NULL,
                strstr(name, "_ns") ? ROUNDING_NS : 0);
}

/* Takes everything but what cannot be in the log: own calls between steps are in the run's report,
 * but not in a log of steps. Rounding changes a mean by a nanosecond, and a total by one for each
 * call. The self time's share of the total is compared, because rounding many durations adds up. It
 * is above 1 where a call was left out whose recursive calls count: these have self time only. */
static void row_compare(int64_t fit, const struct log_value *line, const struct sw_report *report)
{
    const char *phase = log_string(line, "phase", ""), *action = log_string(line, "action", "");
    const struct sw_report_row *row = report ? held_row_of(report, phase, action) : NULL;
    int64_t calls = log_integer(line, "calls", 0);
    double mean_ns = log_real(line, "mean_ns", 0), total_ns = log_real(line, "total_ns", NAN);
    bool self = held_self(verify.held, phase, action);
    bool shared = self && row && row->total_ns > 0;
    double share = shared ? log_real(line, "self_ns", NAN) / total_ns : NAN;
    const struct {
        const char *name;
        double recorded, made, slack;
    } figures[] = {
        {"calls", (double)calls, row ? (double)row->calls : NAN, -1},
        {"mean_ns", mean_ns, row ? row->mean_ns : NAN, ROUNDING_NS},
        {"total_ns", total_ns, row ? row->total_ns : NAN, ROUNDING_NS * (double)calls},
        {"self share", share, row ? row->self_ns / row->total_ns : NAN,
         fmax(ROUNDING_SHARE, 2 * ROUNDING_NS / mean_ns * fmax(1, share))},
    };
    char key[640];
    if (!held_row(verify.held, phase, action) ||
        (held_maybe_outside(verify.held, phase, action) && (row ? row->calls : 0) < calls))
        return;
    snprintf(key, sizeof key, "fit %" PRId64 " %s/%s", fit, phase, action);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (isfinite(figures[i].recorded))
            compare(&verify.rows, key, figures[i].name, figures[i].recorded,
                    isfinite(figures[i].made) ? &figures[i].made : NULL, figures[i].slack);
}

/* A second report of a fit only has more rows after it. */
static void report_compare(void *arg, const struct log_value *line, const struct sw_report *made)
{
    const struct log_value *rows = log_get(line, "rows");
    int64_t fit = log_integer(line, "fit", 1);
    bool again = log_true(line, "amended") && verify.fit == fit;
    (void)arg;
    made = made->fit == fit ? made : NULL;
    verify.fit = fit;
    if (!again) {
        figure_compare(fit, "fit_ns", log_real(line, "fit_ns", NAN), made ? &made->fit_ns : NULL);
        figure_compare(fit, "overall_train",
                       log_real(log_get(line, "overall_train"), "samples_per_s", NAN),
                       made ? &made->overall_train.samples_per_s : NULL);
        figure_compare(fit, "overall_valid",
                       log_real(log_get(line, "overall_valid"), "samples_per_s", NAN),
                       made ? &made->overall_valid.samples_per_s : NULL);
    }
    for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row))
        if (!again || strcmp(log_string(row, "phase", ""), "after") == 0)
            row_compare(fit, row, made);
}

/* ---- logged values --------------------------------------------------------------------------- */

/* One more logged value of what the key says. */
static void value_count(enum side side, const char *key)
{
    pthread_mutex_lock(&verify.lock);
    struct value_count *count =
        swi_map_item(&verify.values, &verify.count, sizeof *count, key, strlen(key));
    verify.failed |= !count;
    if (count)
        count->calls[side]++;
    pthread_mutex_unlock(&verify.lock);
}

static void picture_count(enum side side, const char *name, const char *sha256)
{
    char key[600];
    snprintf(key, sizeof key, "pictures %s sha256 %s calls", name, sha256);
    value_count(side, key);
}

/* But for files, and for pictures, which are counted one by one. */
static void kind_count(enum side side, enum sw_value_kind kind)
{
    char key[64];
    snprintf(key, sizeof key, "values of kind %d calls", (int)kind);
    if (kind != SW_VALUE_IMAGES && kind != SW_VALUE_FILE)
        value_count(side, key);
}

/* ---- what the log has ------------------------------------------------------------------------ */

static void recorded_value(const struct log_value *line)
{
    enum sw_value_kind kind = value_line_kind(line);
    const struct log_value *list = kind ? log_get(line, "pictures") : NULL;
    if (kind)
        kind_count(RECORDED, kind);
    for (const struct log_value *picture = log_first(list); picture && kind != SW_VALUE_FILE;
         picture = log_after(list, picture))
        if (log_get(picture, "file") || log_get(picture, "base64"))
            picture_count(RECORDED, log_string(line, "name", ""),
                          log_string(picture, "sha256", ""));
}

static void recorded_line(void *arg, const struct log_value *line)
{
    (void)arg;
    if (log_is_type(line, LINE_VALUE))
        recorded_value(line);
    /* What steps that were added up took one by one is not known. */
    if (log_is_type(line, LINE_METRIC) && strcmp(log_string(line, "by", ""), "profiler") == 0 &&
        !verify.held->thinned && !log_get(line, "count"))
        metric_put(RECORDED, log_string(line, "name", ""), log_integer(line, "step", 0),
                   log_real(line, "value", NAN), 0);
}

/* ---- what the replay makes ------------------------------------------------------------------- */

static void made_value(struct sw_sink *sink, const struct sw_value *value)
{
    SW_ERROR_SCOPE(err);
    const void *bytes;
    size_t size;
    kind_count(MADE, value->kind);
    for (size_t i = 0; value->pictures && i < value->pictures->count; i++) {
        const struct sw_picture *picture = sw_pictures_at(value->pictures, i);
        if (sw_sink_encode(sink, picture, &bytes, &size, &err) == 0)
            picture_count(MADE, value->name, picture->sha256);
    }
}

static size_t window_of(const struct sw_sink *sink)
{
    int64_t average = sink->run->rolling_average;
    return average < 1 ? 1 : average > WINDOW_MOST ? WINDOW_MOST : (size_t)average;
}

/* Returns how many samples a rolling average is at least made of. */
static double samples_least(const struct sw_sink *sink)
{
    size_t window = window_of(sink), count = verify.steps < window ? verify.steps : window;
    int64_t least = count ? verify.samples[0] : 1;
    for (size_t i = 1; i < count; i++)
        least = verify.samples[i] < least ? verify.samples[i] : least;
    return (double)least;
}

/* A duration of d ns that is a nanosecond too long makes a rate too low by a share of 1 / d; one
 * that is too short, too high by 1 / (d - 1). */
static double rate_slack(double per_s, double samples)
{
    double share = fabs(per_s) * 1e-9 / samples;
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
static double slack_of(const struct sw_record *record, const struct sw_metric *metric,
                       double samples)
{
    double batch = value_of(record, "throughput/batch");
    if (strncmp(metric->name, "time_ms/", 8) == 0)
        return 1e-6;
    if (strcmp(metric->name, "throughput/draw") == 0)
        return rate_slack(batch, samples) + rate_slack(batch + metric->value, samples);
    if (strncmp(metric->name, "throughput/", 11) == 0)
        return rate_slack(metric->value, samples);
    return batch > 0 ? fabs(metric->value) * rate_slack(batch, samples) / batch : 0;
}

static int made_record(void *arg, struct sw_sink *sink, const struct sw_record *record,
                       struct sw_error *err)
{
    const struct sw_step *step = record->step_done;
    (void)arg;
    (void)err;
    if (step && step->phase == SW_PHASE_TRAIN && step->samples > 0)
        verify.samples[verify.steps++ % window_of(sink)] = step->samples;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->by == SW_BY_PROFILER)
            metric_put(MADE, metric->name, record->step, metric->value,
                       slack_of(record, metric, samples_least(sink)));
    }
    if (record->value)
        made_value(sink, record->value);
    return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void part_tell(const struct verified_part *part, struct verified *sum, int *differ)
{
    size_t i;
    json_t *one;
    json_array_foreach(part->first, i, one)
    {
        if (json_array_size(sum->differences) < SHOWN)
            json_array_append(sum->differences, one);
    }
    sum->compared += part->compared;
    *differ += (int)part->differ;
}

/* Compares the rest. Returns how many results differ. */
static int rest_compare(struct verified *verified)
{
    int differ = 0;
    for (size_t i = 0; i < verify.values.count; i++) {
        const double *calls = verify.count[i].calls;
        if (calls[RECORDED] > 0)
            compare(&verify.figures, verify.values.name[i].text, "", calls[RECORDED],
                    calls[MADE] > 0 ? &calls[MADE] : NULL, 0);
    }
    part_tell(&verify.figures, verified, &differ);
    part_tell(&verify.rows, verified, &differ);
    for (size_t i = 0; i < verify.names.count; i++) {
        struct verified_metric *metric = &verify.metric[i];
        steps_compare(metric, verify.names.name[i].text, true);
        bool as_many = metric->count[RECORDED] == metric->count[MADE];
        part_tell(metric->by_order && as_many ? &metric->order_part : &metric->step_part, verified,
                  &differ);
    }
    return differ;
}

static void all_free(void)
{
    for (size_t i = 0; i < verify.names.count; i++) {
        struct verified_metric *metric = &verify.metric[i];
        for (int side = RECORDED; side <= MADE; side++) {
            free(metric->by_step[side].item);
            free(metric->in_order[side].item);
        }
        json_decref(metric->step_part.first);
        json_decref(metric->order_part.first);
    }
    free(verify.metric);
    free(verify.count);
    swi_map_free(&verify.names);
    swi_map_free(&verify.values);
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
    replay->report = report_compare;
    replay->record = made_record;
    replay->wants = SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_VALUE);
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
