/* SPDX-License-Identifier: MIT */
#include "tools/log/log_fits.h"

#include "core/text/vec.h"
#include "tools/log/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the memory in use during a fit ---------------------------------------------------------- */

/* Series stay sorted by name. Returns NULL if out of memory. */
static struct swi_advised_series *series_of(struct swi_advised *fit, const char *name)
{
    size_t at = 0;
    while (at < fit->series_count && strcmp(fit->series[at].name, name) < 0)
        at++;
    struct swi_advised_series *of = fit->series ? &fit->series[at] : NULL;
    if (at < fit->series_count && strcmp(of->name, name) == 0)
        return of;
    char *copy = strdup(name);
    if (!copy || !swi_vec_room(&fit->series, fit->series_count, sizeof *fit->series)) {
        free(copy);
        return NULL;
    }
    of = &fit->series[at];
    memmove(of + 1, of, (fit->series_count++ - at) * sizeof *of);
    *of = (struct swi_advised_series){.name = copy};
    return of;
}

static void series_free(struct swi_advised *fit)
{
    for (size_t i = 0; i < fit->series_count; i++) {
        free((void *)fit->series[i].name);
        swi_curve_free(&fit->series[i].bytes);
    }
    free(fit->series);
    fit->series = NULL;
    fit->series_count = 0;
}

/* ---- fits ------------------------------------------------------------------------------------ */

/* Returns fit i, from 0; NULL: there is none, or it was judged. */
static struct log_fit *fit_at(struct log_fits *fits, size_t i)
{
    return i >= fits->judged && i < fits->count ? &fits->fit[i % LOG_FITS_NEWEST] : NULL;
}

/* ---- what the rules judge -------------------------------------------------------------------- */

static void from_report(struct swi_advised *a, const struct log_value *report)
{
    const char *gpu = log_string(report, "gpu", "");
    a->fit_ns = log_real(report, "fit_ns", 0);
    a->other_ns = log_real(report, "other_ns", NAN);
    a->counted = true;
    a->own_ns = log_real(report, "own_ns", NAN);
    a->misuses = log_integer(report, "misuses", 0);
    a->discarded = log_integer(report, "discarded", 0);
    a->preempted = log_integer(report, "preempted", -1);
    a->waited_ns = log_real(report, "waited_ns", 0);
    a->throughput = strcmp(log_string(report, "mode", ""), "throughput") == 0;
    a->gpu = *gpu ? gpu : a->gpu;
}

static void advised_take(const struct log_fits *fits, const struct log_fit *fit,
                         struct swi_advised *advised)
{
    *advised = fit->advised;
    fit_steps_describe(&fit->steps, advised);
    advised->drop_first = fits->drop_first;
    advised->gpu = fits->gpu;
    double end = fit->ended ? fit->end_ns : fit->seen_ns;
    advised->fit_ns = end > 0 ? end - fit->begin_ns : 0;
    advised->other_ns = NAN;
    if (fit->report)
        from_report(advised, fit->report);
    if (fit->ranks && *fit->straggler.sentence)
        advised->ranks = &fit->straggler;
    if (!isfinite(advised->other_ns))
        advised->other_ns = advised->fit_ns - fit->spent_ns;
}

/* Frees what the rules need. */
static void fit_clear(struct log_fit *fit)
{
    fit_steps_free(&fit->steps, &fit->advised);
    series_free(&fit->advised);
    free(fit->report);
    free(fit->ranks);
    fit->report = fit->ranks = NULL;
}

/* Returns how many training steps it has judged. */
static int64_t fit_judge(struct log_fits *fits, struct log_fit *fit, struct swi_advice *advice)
{
    struct swi_advised advised;
    advised_take(fits, fit, &advised);
    bool fine = swi_advise(advice, &advised);
    if (!fine)
        swi_advice_free(advice);
    fits->failed = fits->failed || !fine;
    return (int64_t)advised.steps;
}

/* Judges the oldest fit. */
static void oldest_judge(struct log_fits *fits)
{
    struct log_fit *fit = fit_at(fits, fits->judged);
    struct swi_advice advice = {0};
    fits->judged++;
    int64_t judged = fit->steps.seen ? fit_judge(fits, fit, &advice) : 0;
    fit_clear(fit);
    fits->tell(fits->arg, (int64_t)fits->judged, fits->failed ? 0 : fit->steps.seen, judged,
               &advice);
}

void log_fits_tell(struct log_fits *fits)
{
    while (fits->judged < fits->count)
        oldest_judge(fits);
}

/* ---- fits ------------------------------------------------------------------------------------ */

static struct log_fit *fit_new(struct log_fits *fits, double t_ns)
{
    if (fits->count - fits->judged == LOG_FITS_NEWEST)
        oldest_judge(fits);
    struct log_fit *added = &fits->fit[fits->count++ % LOG_FITS_NEWEST];
    *added = (struct log_fit){.begin_ns = t_ns,
                              .last_end_ns = -1,
                              .first = true,
                              .steps = {.every = 1},
                              .advised = {.preempted = -1}};
    return added;
}

/* Returns the fit that began last, or NULL. */
static struct log_fit *fit_last(struct log_fits *fits)
{
    return fits->count ? fit_at(fits, fits->count - 1) : NULL;
}

/* Returns whether an action is a part of a fit that has steps: epoch, train or valid. */
static bool is_stretch(const char *action)
{
    return log_is_of_loop(action) && strcmp(action, "fit") != 0;
}

static void part_begin(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = fit_last(fits);
    if (strcmp(action, "fit") == 0 || !fit)
        fit = fit_new(fits, t_ns);
    if (!is_stretch(action))
        return;
    fit->last_end_ns = -1;
    fit->first = true;
    if (strcmp(action, "valid") != 0)
        return;
    fit->valid_begin_ns = t_ns;
    fit->in_valid = true;
}

static void part_end(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = fit_last(fits);
    if (!fit)
        return;
    if (is_stretch(action))
        fit->last_end_ns = -1;
    if (strcmp(action, "valid") == 0 && fit->in_valid) {
        fit->advised.valid_ns += t_ns - fit->valid_begin_ns;
        fit->in_valid = false;
    }
    if (strcmp(action, "fit") != 0)
        return;
    fit->end_ns = t_ns;
    fit->ended = true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Returns the share of the i-th of n. */
static int64_t share_of(int64_t sum, int64_t i, int64_t n)
{
    return n > 1 ? (int64_t)((double)sum / (double)n * (double)i) : i * sum;
}

/* The step that is added now. */
struct added_step {
    struct log_fit *fit;
    struct fit_step of;
    bool has_batch;
};

/* A step, or several that are alike: the numbers of the first and the last of them, their samples,
 * how long their draws and batches took, and when the last of them ended. */
struct lot {
    bool train;
    int64_t count, first, last, samples;
    double busy_ns, t_ns;
    /* Adds the parts of one of them. */
    void (*parts)(struct log_fits *fits, struct added_step *step, const struct lot *lot);
    const void *of;
};

static void part_add(struct log_fits *fits, struct added_step *step, const char *action, double ns)
{
    if (strcmp(action, "draw") == 0) {
        step->of.draw_ns += ns;
    } else if (strcmp(action, "batch") == 0) {
        step->has_batch = true;
        step->of.batch_ns += ns;
    } else if (step->of.stored &&
               !fit_steps_part(&step->fit->steps, &step->fit->advised, action, ns)) {
        fits->failed = true;
    }
}

/* Ends as many as are alike, of which the last ended at t_ns. */
static void step_end(struct added_step *step, bool train, int64_t count, double t_ns)
{
    struct log_fit *fit = step->fit;
    struct swi_advised *a = &fit->advised;
    double busy_ns = (step->of.draw_ns + step->of.batch_ns) * (double)count;
    if (step->of.samples < 0 || !step->has_batch) {
        fit->last_end_ns = -1;
        return;
    }
    step->of.first = fit->first;
    if (train && fit->last_end_ns >= 0)
        a->between_ns += fmax(0, t_ns - fit->last_end_ns - busy_ns);
    if (train && __builtin_add_overflow(a->all_samples, step->of.samples, &a->all_samples))
        a->all_samples = INT64_MAX;
    if (train)
        fit_steps_end(&fit->steps, a, &step->of, count);
    a->all_steps += count;
    fit->spent_ns += busy_ns;
    fit->first = false;
    fit->last_end_ns = fit->seen_ns = t_ns;
}

static void lot_take(struct log_fits *fits, const struct lot *lot)
{
    struct log_fit *fit = fit_last(fits) ? fit_last(fits) : fit_new(fits, 0);
    int64_t count = lot->count, some = 0, numbers = lot->last - lot->first, samples = lot->samples;
    double begin_ns = fit->last_end_ns >= 0 ? fit->last_end_ns : lot->t_ns - lot->busy_ns;
    double each_ns = (lot->t_ns - begin_ns) / (double)count;
    for (int64_t i = 0; i < count && !fits->failed; i += some) {
        struct added_step step = {.fit = fit};
        fits->failed = lot->train && !fit_steps_begin(&fit->steps, &fit->advised, &step.of);
        some = lot->train ? fit_steps_some(&fit->steps, &step.of, count - i) : count - i;
        if (!fits->failed)
            lot->parts(fits, &step, lot);
        bool whole = i + some == count;
        step.of.number =
            whole ? lot->last : lot->first + share_of(numbers, i + some - 1, count - 1);
        step.of.samples = samples < 0 ? samples
                                      : (whole ? samples : share_of(samples, i + some, count)) -
                                            share_of(samples, i, count);
        if (!fits->failed)
            step_end(&step, lot->train, some,
                     whole ? lot->t_ns : begin_ns + each_ns * (double)(i + some));
    }
}

/* ---- memory in use --------------------------------------------------------------------------- */

static void metric_take(struct log_fits *fits, const char *name, double t_ns, double value)
{
    struct log_fit *fit = fit_last(fits);
    if (!fit || !isfinite(value) || !swi_is_memory_name(name))
        return;
    struct swi_advised_series *series = series_of(&fit->advised, name);
    if (!series || !swi_curve_add(&series->bytes, FIT_POINTS, t_ns, value))
        fits->failed = true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static double sum_of(const struct log_value *value)
{
    double sum = 0;
    for (const struct log_value *v = log_first(value); v; v = log_after(value, v))
        sum += log_digits(v, 0);
    return log_is(value, LOG_ARRAY) ? sum : log_digits(value, 0);
}

static void line_parts(struct log_fits *fits, struct added_step *step, const struct lot *lot)
{
    for (const struct log_value *k = log_first_key(lot->of); k; k = log_next_key(lot->of, k))
        part_add(fits, step, k->text, sum_of(k + 1) / (double)lot->count);
}

/* A line has a step, or the sums of several that are alike. */
static void step_line(struct log_fits *fits, const struct log_value *line, double t_ns)
{
    const struct log_value *durations = log_get(line, "durations");
    const struct lot lot = {.train = strcmp(log_string(line, "phase", "train"), "valid") != 0,
                            .count = thinned_steps_of(line),
                            .first = thinned_steps_first(line),
                            .last = log_integer(line, "step", 0),
                            .samples = log_integer(line, "samples", 0),
                            .busy_ns = sum_of(log_get(durations, "draw")) +
                                       sum_of(log_get(durations, "batch")),
                            .t_ns = t_ns,
                            .parts = line_parts,
                            .of = durations};
    if (log_is(durations, LOG_OBJECT))
        lot_take(fits, &lot);
}

/* Returns whether a truncated log repeats what was open. */
static bool is_repeated(struct log_fits *fits, const struct log_value *line)
{
    struct log_fit *fit = fit_last(fits);
    return fit && !fit->ended && log_true(line, "again");
}

static void region_line(struct log_fits *fits, const struct log_value *line, enum line_type type,
                        double t_ns)
{
    const char *action = log_string(line, "action", "");
    if (!log_is_of_loop(action) || log_get(line, "window") || is_repeated(fits, line))
        return;
    if (type == LINE_BEGIN)
        part_begin(fits, action, t_ns);
    else
        part_end(fits, action, t_ns);
}

static void run_line(struct log_fits *fits, const struct log_value *line)
{
    const char *gpu = log_string(line, "gpu", "");
    fits->drop_first = !log_false(line, "drop_first_batch");
    if (!*gpu)
        return;
    free(fits->gpu);
    fits->gpu = strdup(gpu);
    fits->failed = fits->failed || !fits->gpu;
}

/* Returns the fit of a report, or NULL if the log does not have it. */
static struct log_fit *fit_of(struct log_fits *fits, const struct log_value *line)
{
    int64_t number = log_integer(line, "fit", 1);
    return number >= 1 ? fit_at(fits, (size_t)number - 1) : NULL;
}

/* The second report of a fit replaces the first. */
static void report_line(struct log_fits *fits, const struct log_value *line)
{
    struct log_fit *fit = fit_of(fits, line);
    if (!fit)
        return;
    free(fit->report);
    fit->report = log_value_copy(line);
}

static void ranks_line(struct log_fits *fits, const struct log_value *line)
{
    struct log_fit *fit = fit_of(fits, line);
    if (!fit || log_false(line, "complete"))
        return;
    free(fit->ranks);
    fit->ranks = log_value_copy(line);
    const struct log_value *found = log_get(fit->ranks, "straggler");
    fit->straggler = (struct swi_advised_ranks){
        .verdict = log_string(found, "verdict", ""),
        .sentence = log_string(found, "sentence", ""),
        .rank = log_integer(found, "rank", -1),
        .host = log_string(found, "host", NULL),
        .action = log_string(found, "phase", NULL),
        .late_ns = log_real(found, "late_ns", NAN),
        .saved = log_real(found, "gain", NAN),
        .confidence = log_real(found, "confidence", NAN),
    };
}

static double time_of(const struct log_value *line)
{
    return (double)log_time(line, "t", 0);
}

static void line_take(struct log_fits *fits, const struct log_value *line)
{
    enum line_type type = log_type(line);
    if (type == LINE_STEP)
        step_line(fits, line, time_of(line));
    else if (type == LINE_METRIC && swi_is_memory_name(log_string(line, "name", "")))
        metric_take(fits, log_string(line, "name", ""), time_of(line),
                    log_digits(log_get(line, "value"), NAN));
    else if (type == LINE_BEGIN || type == LINE_END)
        region_line(fits, line, type, time_of(line));
    else if (type == LINE_RUN)
        run_line(fits, line);
    else if (type == LINE_REPORT)
        report_line(fits, line);
    else if (type == LINE_RANKS)
        ranks_line(fits, line);
}

void log_fits_line(struct log_fits *fits, const struct log_value *line)
{
    if (!fits->begun)
        fits->by_replay = log_has_regions(line);
    fits->begun = true;
    if (!fits->by_replay || log_is_type(line, LINE_RUN) || log_is_type(line, LINE_REPORT) ||
        log_is_type(line, LINE_RANKS))
        line_take(fits, line);
}

/* ---- records of a replay --------------------------------------------------------------------- */

static void mark_take(struct log_fits *fits, const struct sw_record *record)
{
    const struct sw_region *region = sw_record_region(record, 0);
    if (region->event == SW_REGION_BEGIN)
        part_begin(fits, region->action, (double)region->time_ns);
    else
        part_end(fits, region->action, (double)region->time_ns);
}

static bool is_counted(const struct sw_step_part *part)
{
    return !part->inner && !part->in_draw;
}

static void record_parts(struct log_fits *fits, struct added_step *step, const struct lot *lot)
{
    const struct sw_step *of = lot->of;
    for (size_t i = 0; i < of->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(of, i);
        if (is_counted(part))
            part_add(fits, step, part->action, (double)part->duration_ns / (double)lot->count);
    }
}

static void step_take(struct log_fits *fits, const struct sw_record *record)
{
    const struct sw_step *done = record->step_done, *sum = done->sum ? done->sum : done;
    bool train = done->phase == SW_PHASE_TRAIN;
    int64_t before = train ? done->steps - 1 : 0;
    struct lot lot = {.train = train,
                      .count = done->steps,
                      .first = record->step > before ? record->step - before : 0,
                      .last = record->step,
                      .samples = sum->samples,
                      .t_ns = (double)record->time_ns,
                      .parts = record_parts,
                      .of = sum};
    for (size_t i = 0; i < sum->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(sum, i);
        if (is_counted(part) && !log_is_in_batch(part->action))
            lot.busy_ns += (double)part->duration_ns;
    }
    lot_take(fits, &lot);
}

void log_fits_record(struct log_fits *fits, const struct sw_record *record)
{
    if (!fits->by_replay)
        return;
    if (record->type == SW_RECORD_MARK)
        mark_take(fits, record);
    else if (record->type == SW_RECORD_STEP)
        step_take(fits, record);
    for (size_t i = 0; record->type == SW_RECORD_METRICS && i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        metric_take(fits, metric->name, (double)record->time_ns, metric->value);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

void log_fits_free(struct log_fits *fits)
{
    for (; fits->judged < fits->count; fits->judged++)
        fit_clear(fit_at(fits, fits->judged));
    free(fits->gpu);
    *fits = (struct log_fits){0};
}
