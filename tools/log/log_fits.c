/* SPDX-License-Identifier: MIT */
#include "tools/log/log_fits.h"

#include "tools/log/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fits ---------------------------------------------------------------------------------------
 */

static struct log_fit *fit_new(struct log_fits *fits, double t_ns)
{
    struct log_fit *grown = realloc(fits->fit, (fits->count + 1) * sizeof *grown);
    if (!grown) {
        fits->failed = true;
        return NULL;
    }
    fits->fit = grown;
    grown += fits->count++;
    *grown = (struct log_fit){
        .begin_ns = t_ns, .last_end_ns = -1, .first = true, .advised = {.preempted = -1}};
    return grown;
}

static struct log_fit *fit_last(struct log_fits *fits)
{
    return fits->count ? &fits->fit[fits->count - 1] : NULL;
}

static bool is_stretch(const char *action)
{
    return strcmp(action, "epoch") == 0 || strcmp(action, "train") == 0 ||
           strcmp(action, "valid") == 0;
}

static void log_fits_begin(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = fit_last(fits);
    if (strcmp(action, "fit") == 0 || !fit)
        fit = fit_new(fits, t_ns);
    if (!fit || !is_stretch(action))
        return;
    fit->last_end_ns = -1;
    fit->first = true;
    if (strcmp(action, "valid") != 0)
        return;
    fit->valid_begin_ns = t_ns;
    fit->in_valid = true;
}

static void log_fits_end(struct log_fits *fits, const char *action, double t_ns)
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

/* ---- steps --------------------------------------------------------------------------------------
 */

/* Returns the array with room for this many. If out of memory, returns it unchanged and sets fine
 * to false. */
static void *grown(void *array, size_t count, size_t size, bool *fine)
{
    void *larger = realloc(array, count * size);
    *fine = *fine && larger;
    /* cppcheck-suppress memleak ; it is returned */
    return larger ? larger : array;
}

/* Makes room for one more step. */
static bool step_room(struct log_fit *fit)
{
    struct swi_advised *a = &fit->advised;
    if (a->steps < fit->room)
        return true;
    size_t room = 2 * fit->room + 256;
    bool fine = true;
    a->number = grown(a->number, room, sizeof *a->number, &fine);
    a->samples = grown(a->samples, room, sizeof *a->samples, &fine);
    a->first = grown(a->first, room, sizeof *a->first, &fine);
    a->draw_ns = grown(a->draw_ns, room, sizeof *a->draw_ns, &fine);
    a->batch_ns = grown(a->batch_ns, room, sizeof *a->batch_ns, &fine);
    for (size_t i = 0; i < a->actions; i++)
        a->action[i].ns = grown(a->action[i].ns, room, sizeof *a->action[i].ns, &fine);
    if (fine)
        fit->room = room;
    return fine;
}

static struct swi_advised_action *action_new(struct log_fit *fit, const char *name)
{
    struct swi_advised *a = &fit->advised;
    bool fine = true;
    a->action = grown(a->action, a->actions + 1, sizeof *a->action, &fine);
    struct swi_advised_action action = {strdup(name), calloc(fit->room, sizeof *action.ns), 0};
    if (!fine || !action.name || !action.ns) {
        free((void *)action.name);
        free(action.ns);
        return NULL;
    }
    a->action[a->actions] = action;
    return &a->action[a->actions++];
}

static struct swi_advised_action *action_of(struct log_fit *fit, const char *name)
{
    for (size_t i = 0; i < fit->advised.actions; i++)
        if (strcmp(fit->advised.action[i].name, name) == 0)
            return &fit->advised.action[i];
    return action_new(fit, name);
}

/* A step: its parts are added one by one, then it is ended. */
struct log_step {
    struct log_fit *fit; /* NULL: it does not count */
    bool train, has_batch;
    double draw_ns, batch_ns;
};

/* In the step that is being read, every action has taken nothing yet. */
static struct log_step log_fits_step(struct log_fits *fits, bool train)
{
    struct log_fit *fit = fit_last(fits) ? fit_last(fits) : fit_new(fits, 0);
    if (!fit || !step_room(fit)) {
        fits->failed = true;
        return (struct log_step){0};
    }
    for (size_t i = 0; i < fit->advised.actions; i++)
        fit->advised.action[i].ns[fit->advised.steps] = 0;
    return (struct log_step){.fit = fit, .train = train};
}

static void log_step_part(struct log_fits *fits, struct log_step *step, const char *action,
                          double ns)
{
    if (strcmp(action, "draw") == 0) {
        step->draw_ns += ns;
    } else if (strcmp(action, "batch") == 0) {
        step->has_batch = true;
        step->batch_ns += ns;
    } else if (step->fit && step->train) {
        struct swi_advised_action *found = action_of(step->fit, action);
        fits->failed = fits->failed || !found;
        if (!found)
            return;
        found->last = step->fit->advised.steps;
        found->ns[found->last] += ns;
    }
}

static void train_add(struct log_fit *fit, const struct log_step *step, int64_t number,
                      int64_t samples, double t_ns)
{
    struct swi_advised *a = &fit->advised;
    if (fit->last_end_ns >= 0)
        a->between_ns += fmax(0, t_ns - fit->last_end_ns - step->draw_ns - step->batch_ns);
    a->number[a->steps] = number;
    a->samples[a->steps] = samples;
    a->first[a->steps] = fit->first;
    a->draw_ns[a->steps] = step->draw_ns;
    a->batch_ns[a->steps] = step->batch_ns;
    if (__builtin_add_overflow(a->all_samples, samples, &a->all_samples))
        a->all_samples = INT64_MAX;
    a->steps++;
}

static void log_step_end(struct log_fits *fits, struct log_step *step, int64_t number,
                         int64_t samples, double t_ns)
{
    struct log_fit *fit = step->fit;
    if (!fit || fits->failed)
        return;
    if (samples < 0 || !step->has_batch) {
        fit->last_end_ns = -1;
        return;
    }
    if (step->train)
        train_add(fit, step, number, samples, t_ns);
    fit->advised.all_steps++;
    fit->spent_ns += step->draw_ns + step->batch_ns;
    fit->first = false;
    fit->last_end_ns = t_ns;
    fit->seen_ns = t_ns;
}

/* ---- memory in use ------------------------------------------------------------------------------
 */

static bool is_memory(const char *name)
{
    static const char used[] = "/memory_used_bytes";
    size_t size = strlen(name);
    return strcmp(name, "process/rss_bytes") == 0 ||
           (strncmp(name, "gpu/", 4) == 0 && size > sizeof used &&
            strcmp(name + size - (sizeof used - 1), used) == 0);
}

/* Series stay sorted by name. */
static struct swi_advised_series *series_of(struct log_fit *fit, const char *name)
{
    struct swi_advised *a = &fit->advised;
    size_t at = 0;
    while (at < a->series_count && strcmp(a->series[at].name, name) < 0)
        at++;
    if (at < a->series_count && strcmp(a->series[at].name, name) == 0)
        return &a->series[at];
    bool fine = true;
    char *copy = strdup(name);
    a->series = grown(a->series, a->series_count + 1, sizeof *a->series, &fine);
    if (!copy || !fine) {
        free(copy);
        return NULL;
    }
    memmove(a->series + at + 1, a->series + at, (a->series_count++ - at) * sizeof *a->series);
    a->series[at] = (struct swi_advised_series){.name = copy};
    return &a->series[at];
}

static void log_fits_metric(struct log_fits *fits, const char *name, double t_ns, double value)
{
    struct log_fit *fit = fit_last(fits);
    if (!fit || !isfinite(value) || !is_memory(name))
        return;
    struct swi_advised_series *series = series_of(fit, name);
    bool fine = series != NULL;
    bool full = fine && (series->count & (series->count - 1)) == 0; /* 0, 1, 2, 4, ... */
    if (full) {
        size_t room = series->count ? 2 * series->count : 1;
        series->t_ns = grown(series->t_ns, room, sizeof *series->t_ns, &fine);
        series->value = grown(series->value, room, sizeof *series->value, &fine);
    }
    fits->failed = fits->failed || !fine;
    if (!fine)
        return;
    series->t_ns[series->count] = t_ns;
    series->value[series->count++] = value;
}

/* ---- lines --------------------------------------------------------------------------------------
 */

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
    struct log_fit *fit = fit_last(fits);
    return fit && !fit->ended && json_is_true(json_object_get(line, "again"));
}

static void region_line(struct log_fits *fits, const json_t *line, const char *type, double t_ns)
{
    const char *action = log_string(line, "action", "");
    bool known = is_stretch(action) || strcmp(action, "fit") == 0;
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

/* ---- records of a replay -----------------------------------------------------------------------
 */

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
        if (!part->inner)
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

/* ---- what the rules judge -----------------------------------------------------------------------
 */

static void from_report(struct swi_advised *a, const json_t *report)
{
    const char *gpu = log_string(report, "gpu", "");
    a->fit_ns = log_number(json_object_get(report, "fit_ns"), 0);
    a->other_ns = log_number(json_object_get(report, "other_ns"), NAN);
    a->counted = true;
    a->own_ns = log_number(json_object_get(report, "own_ns"), NAN);
    a->misuses = log_integer(report, "misuses", 0);
    a->discarded = log_integer(report, "discarded", 0);
    a->preempted = log_integer(report, "preempted", -1);
    a->gpu = *gpu ? gpu : a->gpu;
}

bool log_fits_advised(struct log_fits *fits, size_t i, struct swi_advised *advised)
{
    const struct log_fit *fit = &fits->fit[i];
    *advised = fit->advised;
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
    return advised->steps > 0;
}

static void fit_free(struct log_fit *fit)
{
    struct swi_advised *a = &fit->advised;
    for (size_t i = 0; i < a->actions; i++) {
        free((void *)a->action[i].name);
        free(a->action[i].ns);
    }
    for (size_t i = 0; i < a->series_count; i++) {
        free((void *)a->series[i].name);
        free(a->series[i].t_ns);
        free(a->series[i].value);
    }
    free(a->action);
    free(a->series);
    free(a->number);
    free(a->samples);
    free(a->first);
    free(a->draw_ns);
    free(a->batch_ns);
    json_decref(fit->report);
    json_decref(fit->ranks);
}

void log_fits_free(struct log_fits *fits)
{
    for (size_t i = 0; i < fits->count; i++)
        fit_free(&fits->fit[i]);
    free(fits->fit);
    free(fits->gpu);
    *fits = (struct log_fits){0};
}
