/* SPDX-License-Identifier: MIT */
#include "tools/log/fit_lines.h"

#include "tools/log/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------------------- */

static double sum_of(const json_t *value)
{
    double sum = 0;
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        sum += json_number_value(json_array_get(value, i));
    return json_is_array(value) ? sum : json_number_value(value);
}

static void step_line(struct log_fits *fits, const json_t *line, double t_ns)
{
    const char *action;
    json_t *value, *durations = json_object_get(line, "durations");
    if (!json_is_object(durations))
        return;
    struct log_step step =
        log_fits_step(fits, strcmp(log_string(line, "phase", "train"), "valid") != 0);
    json_object_foreach(durations, action, value) log_step_part(fits, &step, action, sum_of(value));
    log_step_end(fits, &step, log_integer(line, "step", 0), log_integer(line, "samples", 0), t_ns);
}

/* Returns whether a truncated log repeats what was open. */
static bool is_repeated(struct log_fits *fits, const json_t *line)
{
    struct log_fit *fit = log_fits_last(fits);
    return fit && !fit->ended && json_is_true(json_object_get(line, "again"));
}

static void region_line(struct log_fits *fits, const json_t *line, const char *type, double t_ns)
{
    const char *action = log_string(line, "action", "");
    bool known = log_is_stretch(action) || strcmp(action, "fit") == 0;
    if (!known || json_object_get(line, "window") || is_repeated(fits, line))
        return;
    if (strcmp(type, "begin") == 0)
        log_fits_begin(fits, action, t_ns);
    else
        log_fits_end(fits, action, t_ns);
}

static void run_line(struct log_fits *fits, const json_t *line)
{
    const char *gpu = log_string(line, "gpu", "");
    fits->drop_first = !json_is_false(json_object_get(line, "drop_first_batch"));
    if (!*gpu)
        return;
    free(fits->gpu);
    fits->gpu = strdup(gpu);
    fits->failed = fits->failed || !fits->gpu;
}

/* Returns the fit of a report, or NULL if the log does not have it. */
static struct log_fit *fit_of(struct log_fits *fits, const json_t *line)
{
    int64_t number = log_integer(line, "fit", 1);
    bool known = number >= 1 && (uint64_t)number <= fits->count;
    return known ? &fits->fit[number - 1] : NULL;
}

/* The second report of a fit replaces the first. */
static void report_line(struct log_fits *fits, const json_t *line)
{
    struct log_fit *fit = fit_of(fits, line);
    if (!fit)
        return;
    json_decref(fit->report);
    fit->report = json_incref((json_t *)line);
}

static void ranks_line(struct log_fits *fits, const json_t *line)
{
    struct log_fit *fit = fit_of(fits, line);
    if (!fit || json_is_false(json_object_get(line, "complete")))
        return;
    json_decref(fit->ranks);
    fit->ranks = json_incref((json_t *)line);
    const json_t *found = json_object_get(line, "straggler");
    fit->straggler = (struct swi_advised_ranks){
        .verdict = log_string(found, "verdict", ""),
        .sentence = log_string(found, "sentence", ""),
        .rank = log_integer(found, "rank", -1),
        .host = log_string(found, "host", NULL),
        .action = log_string(found, "phase", NULL),
        .late_ns = log_number(json_object_get(found, "late_ns"), NAN),
        .saved = log_number(json_object_get(found, "gain"), NAN),
        .confidence = log_number(json_object_get(found, "confidence"), NAN),
    };
}

void log_fits_line(struct log_fits *fits, const json_t *line)
{
    const char *type = log_string(line, "type", "");
    double t_ns = (double)log_integer(line, "t", 0);
    if (strcmp(type, "step") == 0)
        step_line(fits, line, t_ns);
    else if (strcmp(type, "begin") == 0 || strcmp(type, "end") == 0)
        region_line(fits, line, type, t_ns);
    else if (strcmp(type, "metric") == 0)
        log_fits_metric(fits, log_string(line, "name", ""), t_ns,
                        json_is_number(json_object_get(line, "value"))
                            ? json_number_value(json_object_get(line, "value"))
                            : NAN);
    else if (strcmp(type, "run") == 0)
        run_line(fits, line);
    else if (strcmp(type, "report") == 0)
        report_line(fits, line);
    else if (strcmp(type, "ranks") == 0)
        ranks_line(fits, line);
}

/* ---- records of a replay --------------------------------------------------------------------- */

bool log_fits_needs_replay(const json_t *run)
{
    return strcmp(log_string(run, "detail", ""), "regions") == 0 &&
           !json_is_true(json_object_get(run, "windowed"));
}

bool log_fits_is_apart(const json_t *line)
{
    const char *type = log_string(line, "type", "");
    return strcmp(type, "run") == 0 || strcmp(type, "report") == 0 || strcmp(type, "ranks") == 0;
}

static void mark_take(struct log_fits *fits, const struct sw_record *record)
{
    const struct sw_region *region = sw_record_region(record, 0);
    if (region->event == SW_REGION_BEGIN)
        log_fits_begin(fits, region->action, (double)region->time_ns);
    else
        log_fits_end(fits, region->action, (double)region->time_ns);
}

static void step_take(struct log_fits *fits, const struct sw_record *record)
{
    const struct sw_step *done = record->step_done;
    struct log_step step = log_fits_step(fits, done->phase == SW_PHASE_TRAIN);
    for (size_t i = 0; i < done->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(done, i);
        if (!part->inner && !part->in_draw)
            log_step_part(fits, &step, part->action, (double)part->duration_ns);
    }
    log_step_end(fits, &step, record->step, done->samples, (double)record->time_ns);
}

void log_fits_record(struct log_fits *fits, const struct sw_record *record)
{
    if (record->type == SW_RECORD_MARK)
        mark_take(fits, record);
    else if (record->type == SW_RECORD_STEP)
        step_take(fits, record);
    for (size_t i = 0; record->type == SW_RECORD_METRICS && i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        log_fits_metric(fits, metric->name, (double)record->time_ns, metric->value);
    }
}
