/* SPDX-License-Identifier: MIT */
#include "tools/log/verified_results.h"

#include "core/text/vec.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Recorded durations are whole nanoseconds, so the results may differ this much. */
#define ROUNDING_NS 1.0
#define ROUNDING_SHARE 0.01

/* The report of a fit may be replaced by a second one, which comes soon after its end; of one that
 * only the run or only the replay has, the other one may still come. */
enum { FITS_LATER = 2, FITS_MOST = 512 };

/* Its figures by name, and its rows by "PHASE/ACTION", of the run and of the replay. */
struct verified_fit {
    int64_t number;
    json_t *figure[2], *row[2];
};

static json_t *made_object(json_t **object)
{
    if (!*object)
        *object = json_object();
    return *object;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void numbers_compare(struct verified_part *part, const char *key, const char *figure,
                            double recorded, const json_t *made, double slack)
{
    double value = text_json_value(made);
    verified_compare(part, key, figure, recorded, made ? &value : NULL, slack);
}

static void figures_compare(struct verified_part *part, const char *of, const json_t *recorded,
                            const json_t *made)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)recorded, name, value)
    {
        char key[640];
        double slack = strstr(name, "_ns") ? ROUNDING_NS : 0;
        snprintf(key, sizeof key, "%s%s", of, name);
        numbers_compare(part, key, "", text_json_value(value), json_object_get(made, name), slack);
    }
}

static int64_t calls_of(const json_t *row)
{
    return json_integer_value(json_object_get(row, "calls"));
}

static void calls_compare(struct verified_part *part, const char *key, const json_t *row,
                          const json_t *made)
{
    const json_t *calls = json_object_get(made, "calls");
    bool same = calls_of(row) == json_integer_value(calls);
    numbers_compare(part, key, "calls", (double)calls_of(row), calls, same ? 0 : -1);
}

/* Rounding changes a mean by a nanosecond, and a total by one for each call. */
static void row_compare(struct verified_part *part, const char *key, const json_t *row,
                        const json_t *made)
{
    double calls = (double)calls_of(row);
    double mean_ns = json_number_value(json_object_get(row, "mean_ns"));
    const struct {
        const char *name;
        double slack;
    } figures[] = {{"mean_ns", ROUNDING_NS},
                   {"total_ns", ROUNDING_NS * calls},
                   {"self share", fmax(ROUNDING_SHARE, 2 * ROUNDING_NS / mean_ns)}};
    calls_compare(part, key, row, made);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *value = json_object_get(row, figures[i].name);
        if (value)
            numbers_compare(part, key, figures[i].name, text_json_value(value),
                            json_object_get(made, figures[i].name), figures[i].slack);
    }
}

/* Own calls between steps are in the run's report, but not in a log of steps. */
static void rows_compare(struct verified_results *results, const char *of, const json_t *recorded,
                         const json_t *made)
{
    const char *name;
    json_t *row;
    json_object_foreach((json_t *)(uintptr_t)recorded, name, row)
    {
        char key[640];
        const json_t *same = json_object_get(made, name);
        bool fewer = calls_of(same) < calls_of(row);
        snprintf(key, sizeof key, "%s%s", of, name);
        if (!fewer ||
            !held_maybe_outside(results->held, json_string_value(json_object_get(row, "phase")),
                                json_string_value(json_object_get(row, "action"))))
            row_compare(&results->rows, key, row, same);
    }
}

/* ---- fits ------------------------------------------------------------------------------------ */

static void fit_free(struct verified_fit *fit)
{
    for (int side = 0; side < 2; side++) {
        json_decref(fit->figure[side]);
        json_decref(fit->row[side]);
    }
}

/* Compares the oldest fit and forgets it. */
static void oldest_compare(struct verified_results *results)
{
    struct verified_fit *fit = &results->fit[0];
    char of[40];
    snprintf(of, sizeof of, "fit %" PRId64 " ", fit->number);
    figures_compare(&results->figures, of, fit->figure[VERIFIED_RECORDED],
                    fit->figure[VERIFIED_MADE]);
    rows_compare(results, of, fit->row[VERIFIED_RECORDED], fit->row[VERIFIED_MADE]);
    fit_free(fit);
    memmove(fit, fit + 1, --results->fits * sizeof *fit);
}

static bool has_both(const struct verified_fit *fit)
{
    return fit->figure[VERIFIED_RECORDED] && fit->figure[VERIFIED_MADE];
}

static void old_compare(struct verified_results *results)
{
    while (results->fits > FITS_MOST ||
           (results->fits > FITS_LATER && has_both(&results->fit[FITS_LATER]) &&
            has_both(&results->fit[0])))
        oldest_compare(results);
}

/* Returns NULL if out of memory. */
static struct verified_fit *fit_of(struct verified_results *results, int64_t number)
{
    size_t i = results->fits;
    while (i > 0 && results->fit[i - 1].number != number)
        i--;
    if (i > 0)
        return &results->fit[i - 1];
    old_compare(results);
    if (!swi_vec_grow(&results->fit, results->fits, &results->fits_room, sizeof *results->fit)) {
        results->failed = true;
        return NULL;
    }
    struct verified_fit *fit = &results->fit[results->fits++];
    *fit = (struct verified_fit){.number = number};
    return fit;
}

void verified_figure_put(struct verified_results *results, enum verified_side side, int64_t fit,
                         const char *name, double value)
{
    pthread_mutex_lock(&results->lock);
    struct verified_fit *of = fit_of(results, fit);
    if (of && isfinite(value))
        json_object_set_new(made_object(&of->figure[side]), name, json_real(value));
    pthread_mutex_unlock(&results->lock);
}

/* The self time's share of the total is compared, because rounding many durations adds up. */
void verified_row_put(struct verified_results *results, enum verified_side side,
                      const struct verified_row *row)
{
    char key[600];
    json_t *figures = json_pack("{s:s, s:s, s:I, s:f}", "phase", row->phase, "action", row->action,
                                "calls", (json_int_t)row->calls, "mean_ns", row->mean_ns);
    if (isfinite(row->total_ns))
        json_object_set_new(figures, "total_ns", json_real(row->total_ns));
    if (isfinite(row->self_ns / row->total_ns))
        json_object_set_new(figures, "self share", json_real(row->self_ns / row->total_ns));
    snprintf(key, sizeof key, "%s/%s", row->phase, row->action);
    pthread_mutex_lock(&results->lock);
    struct verified_fit *of = fit_of(results, row->fit);
    if (of)
        json_object_set_new(made_object(&of->row[side]), key, figures);
    else
        json_decref(figures);
    pthread_mutex_unlock(&results->lock);
}

/* ---- values ---------------------------------------------------------------------------------- */

void verified_count(struct verified_results *results, enum verified_side side, const char *key)
{
    pthread_mutex_lock(&results->lock);
    json_t *counts = made_object(&results->counts[side]);
    json_int_t before = json_integer_value(json_object_get(counts, key));
    json_object_set_new(counts, key, json_integer(before + 1));
    pthread_mutex_unlock(&results->lock);
}

void verified_metric_put(struct verified_results *results, enum verified_side side,
                         const char *name, int64_t step, double value, double slack)
{
    const struct verified_value of = {step, value, slack};
    pthread_mutex_lock(&results->lock);
    size_t before = results->names.count;
    struct verified_metric *metric = swi_map_item(&results->names, &results->metric,
                                                  sizeof *results->metric, name, strlen(name));
    if (metric && results->names.count > before)
        *metric = (struct verified_metric){.by_order = !results->held->steps_only};
    results->failed |= !metric || !verified_metric_add(metric, side, name, &of);
    pthread_mutex_unlock(&results->lock);
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool verified_results_init(struct verified_results *results, const struct held *held)
{
    *results = (struct verified_results){.held = held};
    return pthread_mutex_init(&results->lock, NULL) == 0;
}

void verified_results_fini(struct verified_results *results)
{
    for (size_t i = 0; i < results->fits; i++)
        fit_free(&results->fit[i]);
    free(results->fit);
    for (size_t i = 0; i < results->names.count; i++)
        verified_metric_free(&results->metric[i]);
    free(results->metric);
    swi_map_free(&results->names);
    json_decref(results->counts[0]);
    json_decref(results->counts[1]);
    json_decref(results->figures.first);
    json_decref(results->rows.first);
    pthread_mutex_destroy(&results->lock);
}

static void part_tell(const struct verified_part *part, json_t *first, struct verified_part *sum)
{
    size_t i;
    json_t *one;
    json_array_foreach(part->first, i, one)
    {
        if (json_array_size(first) < VERIFIED_SHOWN)
            json_array_append(first, one);
    }
    sum->compared += part->compared;
    sum->differ += part->differ;
}

int verified_differences(struct verified_results *results, json_t *first, size_t *compared)
{
    struct verified_part sum = {0};
    while (results->fits)
        oldest_compare(results);
    figures_compare(&results->figures, "", results->counts[VERIFIED_RECORDED],
                    results->counts[VERIFIED_MADE]);
    part_tell(&results->figures, first, &sum);
    part_tell(&results->rows, first, &sum);
    for (size_t i = 0; i < results->names.count; i++)
        part_tell(verified_metric_end(&results->metric[i], results->names.name[i].text), first,
                  &sum);
    *compared = sum.compared;
    return (int)sum.differ;
}
