/* SPDX-License-Identifier: MIT */
#include "tools/log/log_fits.h"

#include "tools/log/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fits ------------------------------------------------------------------------------------ */

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

struct log_fit *log_fits_last(struct log_fits *fits)
{
    return fits->count ? &fits->fit[fits->count - 1] : NULL;
}

bool log_is_stretch(const char *action)
{
    return strcmp(action, "epoch") == 0 || strcmp(action, "train") == 0 ||
           strcmp(action, "valid") == 0;
}

void log_fits_begin(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = log_fits_last(fits);
    if (strcmp(action, "fit") == 0 || !fit)
        fit = fit_new(fits, t_ns);
    if (!fit || !log_is_stretch(action))
        return;
    fit->last_end_ns = -1;
    fit->first = true;
    if (strcmp(action, "valid") != 0)
        return;
    fit->valid_begin_ns = t_ns;
    fit->in_valid = true;
}

void log_fits_end(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = log_fits_last(fits);
    if (!fit)
        return;
    if (log_is_stretch(action))
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

static struct swi_advised_action *action_of(struct log_fit *fit, const char *name)
{
    struct swi_advised *a = &fit->advised;
    struct swi_advised_action *action =
        swi_map_item(&fit->names, &a->action, sizeof *action, name, strlen(name));
    if (!action || action->name)
        return action;
    double *ns = calloc(fit->room, sizeof *ns);
    if (!ns) {
        swi_map_undo(&fit->names);
        return NULL;
    }
    action->name = fit->names.name[a->actions++].text;
    action->ns = ns;
    return action;
}

/* In the step that is being read, every action has taken nothing yet. */
struct log_step log_fits_step(struct log_fits *fits, bool train)
{
    struct log_fit *fit = log_fits_last(fits) ? log_fits_last(fits) : fit_new(fits, 0);
    if (!fit || !step_room(fit)) {
        fits->failed = true;
        return (struct log_step){0};
    }
    for (size_t i = 0; i < fit->advised.actions; i++)
        fit->advised.action[i].ns[fit->advised.steps] = 0;
    return (struct log_step){.fit = fit, .train = train};
}

void log_step_part(struct log_fits *fits, struct log_step *step, const char *action, double ns)
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

void log_step_end(struct log_fits *fits, struct log_step *step, int64_t number, int64_t samples,
                  double t_ns)
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

/* ---- memory in use --------------------------------------------------------------------------- */

bool log_fits_wants(const char *name)
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

void log_fits_metric(struct log_fits *fits, const char *name, double t_ns, double value)
{
    struct log_fit *fit = log_fits_last(fits);
    if (!fit || !isfinite(value) || !log_fits_wants(name))
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

/* ---- what the rules judge -------------------------------------------------------------------- */

static void from_report(struct swi_advised *a, const struct log_value *report)
{
    const char *gpu = log_string(report, "gpu", "");
    a->fit_ns = log_number(log_get(report, "fit_ns"), 0);
    a->other_ns = log_number(log_get(report, "other_ns"), NAN);
    a->counted = true;
    a->own_ns = log_number(log_get(report, "own_ns"), NAN);
    a->misuses = log_integer(report, "misuses", 0);
    a->discarded = log_integer(report, "discarded", 0);
    a->preempted = log_integer(report, "preempted", -1);
    a->waited_ns = log_number(log_get(report, "waited_ns"), 0);
    a->throughput = strcmp(log_string(report, "mode", ""), "throughput") == 0;
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
    for (size_t i = 0; i < a->actions; i++)
        free(a->action[i].ns);
    swi_map_free(&fit->names);
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
    free(fit->report);
    free(fit->ranks);
}

void log_fits_free(struct log_fits *fits)
{
    for (size_t i = 0; i < fits->count; i++)
        fit_free(&fits->fit[i]);
    free(fits->fit);
    free(fits->gpu);
    kept_lines_free(&fits->kept);
    *fits = (struct log_fits){0};
}
