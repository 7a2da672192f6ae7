/* SPDX-License-Identifier: MIT */
#include "tools/log/log_fits.h"

#include "tools/log/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------------------- */

static double sum_of(const struct log_value *value)
{
    double sum = 0;
    for (const struct log_value *v = log_first(value); v; v = log_after(value, v))
        sum += log_digits(v, 0);
    return log_is(value, LOG_ARRAY) ? sum : log_digits(value, 0);
}

/* Returns the share of the i-th of n. */
static int64_t share_of(int64_t sum, int64_t i, int64_t n)
{
    return n > 1 ? (int64_t)((double)sum / (double)n * (double)i) : i * sum;
}

/* A step, or several that are alike: the numbers of the first and the last of them, their samples,
 * how long their draws and batches took, and when the last of them ended. */
struct lot {
    bool train;
    int64_t count, first, last, samples;
    double busy_ns, t_ns;
    /* Adds the parts of one of them. */
    void (*parts)(struct log_fits *fits, struct log_step *step, const struct lot *lot);
    const void *of;
};

static double begin_of(struct log_fits *fits, const struct lot *lot)
{
    const struct log_fit *fit = log_fits_last(fits);
    return fit && fit->last_end_ns >= 0 ? fit->last_end_ns : lot->t_ns - lot->busy_ns;
}

static void lot_take(struct log_fits *fits, const struct lot *lot)
{
    int64_t count = lot->count, some = 0;
    double begin_ns = count > 1 ? begin_of(fits, lot) : 0;
    double each_ns = (lot->t_ns - begin_ns) / (double)count;
    for (int64_t i = 0; i < count && !fits->failed; i += some) {
        struct log_step step = log_fits_step(fits, lot->train);
        some = log_step_some(&step, count - i);
        lot->parts(fits, &step, lot);
        bool whole = i + some == count;
        int64_t numbers = lot->last - lot->first, samples = lot->samples;
        const struct log_step_end end = {
            .number = whole ? lot->last : lot->first + share_of(numbers, i + some - 1, count - 1),
            .samples = samples < 0 ? samples
                                   : (whole ? samples : share_of(samples, i + some, count)) -
                                         share_of(samples, i, count),
            .count = some,
            .t_ns = whole ? lot->t_ns : begin_ns + each_ns * (double)(i + some)};
        log_step_end(fits, &step, &end);
    }
}

static void line_parts(struct log_fits *fits, struct log_step *step, const struct lot *lot)
{
    for (const struct log_value *k = log_first_key(lot->of); k; k = log_next_key(lot->of, k))
        log_step_part(fits, step, k->text, sum_of(k + 1) / (double)lot->count);
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
    struct log_fit *fit = log_fits_last(fits);
    return fit && !fit->ended && log_true(line, "again");
}

static void region_line(struct log_fits *fits, const struct log_value *line, enum line_type type,
                        double t_ns)
{
    const char *action = log_string(line, "action", "");
    if (!log_is_of_loop(action) || log_get(line, "window") || is_repeated(fits, line))
        return;
    if (type == LINE_BEGIN)
        log_fits_begin(fits, action, t_ns);
    else
        log_fits_end(fits, action, t_ns);
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
    return number >= 1 ? log_fits_at(fits, (size_t)number - 1) : NULL;
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
    return (double)log_integer(line, "t", 0);
}

static void line_take(struct log_fits *fits, const struct log_value *line)
{
    enum line_type type = log_type(line);
    if (type == LINE_STEP)
        step_line(fits, line, time_of(line));
    else if (type == LINE_METRIC && swi_is_memory_name(log_string(line, "name", "")))
        log_fits_metric(fits, log_string(line, "name", ""), time_of(line),
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
        log_fits_begin(fits, region->action, (double)region->time_ns);
    else
        log_fits_end(fits, region->action, (double)region->time_ns);
}

static bool is_counted(const struct sw_step_part *part)
{
    return !part->inner && !part->in_draw;
}

static void record_parts(struct log_fits *fits, struct log_step *step, const struct lot *lot)
{
    const struct sw_step *of = lot->of;
    for (size_t i = 0; i < of->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(of, i);
        if (is_counted(part))
            log_step_part(fits, step, part->action, (double)part->duration_ns / (double)lot->count);
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
        log_fits_metric(fits, metric->name, (double)record->time_ns, metric->value);
    }
}
