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

struct log_fit *log_fits_at(struct log_fits *fits, size_t i)
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
    struct log_fit *fit = log_fits_at(fits, fits->judged);
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

struct log_fit *log_fits_last(struct log_fits *fits)
{
    return fits->count ? log_fits_at(fits, fits->count - 1) : NULL;
}

/* Returns whether an action is a part of a fit that has steps: epoch, train or valid. */
static bool is_stretch(const char *action)
{
    return log_is_of_loop(action) && strcmp(action, "fit") != 0;
}

void log_fits_begin(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = log_fits_last(fits);
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

void log_fits_end(struct log_fits *fits, const char *action, double t_ns)
{
    struct log_fit *fit = log_fits_last(fits);
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

struct log_step log_fits_step(struct log_fits *fits, bool train)
{
    struct log_fit *fit = log_fits_last(fits) ? log_fits_last(fits) : fit_new(fits, 0);
    struct log_step step = {.fit = fit, .train = train};
    if (train && !fit_steps_begin(&fit->steps, &fit->advised, &step.of)) {
        fits->failed = true;
        return (struct log_step){0};
    }
    return step;
}

void log_step_part(struct log_fits *fits, struct log_step *step, const char *action, double ns)
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

int64_t log_step_some(const struct log_step *step, int64_t count)
{
    return step->fit && step->train ? fit_steps_some(&step->fit->steps, &step->of, count) : count;
}

static void train_add(struct log_fit *fit, const struct log_step *step, int64_t count, double t_ns)
{
    struct swi_advised *a = &fit->advised;
    const struct fit_step *of = &step->of;
    double busy_ns = (of->draw_ns + of->batch_ns) * (double)count;
    if (fit->last_end_ns >= 0)
        a->between_ns += fmax(0, t_ns - fit->last_end_ns - busy_ns);
    if (__builtin_add_overflow(a->all_samples, of->samples, &a->all_samples))
        a->all_samples = INT64_MAX;
    fit_steps_end(&fit->steps, a, of, count);
}

void log_step_end(struct log_fits *fits, struct log_step *step, const struct log_step_end *end)
{
    struct log_fit *fit = step->fit;
    if (!fit || fits->failed)
        return;
    if (end->samples < 0 || !step->has_batch) {
        fit->last_end_ns = -1;
        return;
    }
    step->of.number = end->number;
    step->of.samples = end->samples;
    step->of.first = fit->first;
    if (step->train)
        train_add(fit, step, end->count, end->t_ns);
    fit->advised.all_steps += end->count;
    fit->spent_ns += (step->of.draw_ns + step->of.batch_ns) * (double)end->count;
    fit->first = false;
    fit->last_end_ns = end->t_ns;
    fit->seen_ns = end->t_ns;
}

/* ---- memory in use --------------------------------------------------------------------------- */

void log_fits_metric(struct log_fits *fits, const char *name, double t_ns, double value)
{
    struct log_fit *fit = log_fits_last(fits);
    if (!fit || !isfinite(value) || !swi_is_memory_name(name))
        return;
    struct swi_advised_series *series = series_of(&fit->advised, name);
    if (!series || !swi_curve_add(&series->bytes, FIT_POINTS, t_ns, value))
        fits->failed = true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

void log_fits_free(struct log_fits *fits)
{
    for (; fits->judged < fits->count; fits->judged++)
        fit_clear(log_fits_at(fits, fits->judged));
    free(fits->gpu);
    *fits = (struct log_fits){0};
}
