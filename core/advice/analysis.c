/* SPDX-License-Identifier: MIT */
#include "core/advice/analysis.h"

#include "core/advice/sample_statistics.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- places in the source that take long ----------------------------------------------------- */

#define DEVIATIONS 6.0
enum { SIZE_LEAST = 16 };

/* A step and the size of its batch. */
struct sized {
    int64_t size;
    size_t at;
};

static int by_size(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Values of one size, and memory for as many. */
struct compared {
    double *x, *low, *rest, *scratch;
};

static bool compared_init(struct compared *c, size_t n)
{
    *c = (struct compared){.x = calloc(4 * n + 1, sizeof *c->x)};
    c->low = c->x + n;
    c->rest = c->low + n;
    c->scratch = c->rest + n;
    return c->x;
}

/* Returns the deviation of the steps that are not slow, so that the slow ones do not hide
 * themselves. */
static double deviation_of(const struct compared *c, size_t n)
{
    double q40 = swi_sample_quantile(c->rest, n, 0.40, c->scratch);
    double q10 = swi_sample_quantile(c->rest, n, 0.10, c->scratch);
    return fmax(0, (q40 - q10) / 1.0283);
}

static void class_find(struct swi_places *places, struct compared *c, const struct sized *sized,
                       size_t n, double least)
{
    swi_rolling_quantile(c->x, n, 0.25, c->low);
    for (size_t i = 0; i < n; i++)
        c->rest[i] = c->x[i] - c->low[i];
    double limit = fmax(DEVIATIONS * deviation_of(c, n), least);
    for (size_t i = 0; i < n; i++) {
        if (!(c->rest[i] > limit))
            continue;
        places->at[places->count++] = sized[i].at;
        places->more[sized[i].at] = c->rest[i];
    }
}

static void classes_find(struct swi_places *places, struct compared *c, const double *x,
                         const struct sized *sized, size_t n, double least, bool all)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = i;
        while (end < n && sized[end].size == sized[i].size) {
            c->x[end - i] = x[sized[end].at];
            end++;
        }
        if (all || end - i >= SIZE_LEAST)
            class_find(places, c, sized + i, end - i, least);
    }
}

/* Finds values that exceed the lower quartile of the 33 values around them by more than 6
 * deviations and by `least`. size: of each batch; only batches of equal size are compared, and
 * sizes with fewer than 16 batches are left out. NULL: all are compared. Returns false if out of
 * memory. Call places_fini() in any case. */
static bool places_find(struct swi_places *places, const double *x, size_t n, double least,
                        const int64_t *size)
{
    struct compared c;
    struct sized *sized = calloc(n + 1, sizeof *sized);
    *places = (struct swi_places){.at = calloc(n + 1, sizeof *places->at),
                                  .more = calloc(n + 1, sizeof *places->more)};
    bool fine = compared_init(&c, n) && sized && places->at && places->more;
    if (fine) {
        for (size_t i = 0; i < n; i++)
            sized[i] = (struct sized){size ? size[i] : 0, i};
        swi_sort(sized, n, sizeof *sized, by_size);
        classes_find(places, &c, x, sized, n, least, !size);
        swi_sort(places->at, places->count, sizeof *places->at, swi_by_integer);
        for (size_t i = 0; i < places->count; i++)
            places->cost += places->more[places->at[i]];
    }
    free(c.x);
    free(sized);
    return fine;
}

static void places_fini(struct swi_places *places)
{
    free(places->at);
    free(places->more);
    *places = (struct swi_places){0};
}

/* ---- the analysis ---------------------------------------------------------------------------- */

/* Above this roughness, means are not judged. */
#define NOISY 0.25
/* Steps at the start are slow if they exceed the usual by this factor and by this many deviations.
 */
#define WARM_RATIO 1.5
#define WARM_DEVIATIONS 4.0
/* If batches above twice their neighbours take more than this share of the time, the loop was
 * preempted. */
#define CONTENDED 0.01
#define CONTENDED_RATIO 2.0
#define CONTENDED_DEVIATIONS 6.0

/* ---- the slow steps at the start ------------------------------------------------------------- */

static double median_of_three(const double *s, size_t left)
{
    double scratch[3];
    return swi_sample_median(s, left < 3 ? left : 3, scratch);
}

/* s: of all steps, including the first. */
static void warm_find(struct swi_analysis *analysis, const double *s, size_t n)
{
    const double *rest = s + n / 4;
    double later = swi_sample_median(rest, n - n / 4, analysis->scratch);
    double spread = swi_sample_mad(rest, n - n / 4, analysis->scratch);
    double limit = fmax(WARM_RATIO * later, later + WARM_DEVIATIONS * spread);
    size_t w = 0;
    while (w < n / 4 && median_of_three(s + w, n - w) > limit)
        w++;
    if (w == 0 && s[0] > limit)
        w = 1;
    analysis->warm = w;
    analysis->warm_cost = swi_sample_sum(s, w) - (double)w * later;
    analysis->warm_total = swi_sample_sum(s, n);
    /* What is not known was like what is known. */
    double unknown = (double)swi_steps_unknown(analysis->fit);
    analysis->warm_total += swi_sample_sum(s + w, n - w) * unknown / (double)(n - w);
}

/* ---- the steps that are judged --------------------------------------------------------------- */

static bool is_standard(const char *name)
{
    static const char *const names[] = {"forward",  "loss",      "backward",
                                        "opt_step", "zero_grad", "predict"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct swi_analysed_action *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Takes the actions that ran in these steps. */
static void actions_take(struct swi_analysis *analysis, size_t from)
{
    for (size_t a = 0; a < analysis->fit->actions; a++) {
        const struct swi_advised_action *action = &analysis->fit->action[a];
        if (action->last < from || analysis->n == 0)
            continue;
        analysis->action[analysis->actions++] = (struct swi_analysed_action){
            action->name, action->ns + from, swi_sample_sum(action->ns + from, analysis->n),
            is_standard(action->name), strcmp(action->name, SWI_OTHER_ACTIONS) == 0};
    }
    qsort(analysis->action, analysis->actions, sizeof *analysis->action, by_name);
}

/* Returns the most frequent size, the smallest of equally frequent ones. */
static int64_t size_find(const int64_t *samples, size_t n)
{
    int64_t best = 0, *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return INT64_MIN;
    memcpy(sorted, samples, n * sizeof *sorted);
    swi_sort(sorted, n, sizeof *sorted, swi_by_integer);
    for (size_t i = 0, most = 0, end; i < n; i = end) {
        end = i;
        while (end < n && sorted[end] == sorted[i])
            end++;
        if (end - i <= most)
            continue;
        most = end - i;
        best = sorted[i];
    }
    free(sorted);
    return best;
}

static void mains_take(struct swi_analysis *analysis)
{
    analysis->size = size_find(analysis->samples, analysis->n);
    analysis->failed = analysis->failed || analysis->size == INT64_MIN;
    for (size_t i = 0; i < analysis->n; i++)
        if (analysis->samples[i] == analysis->size)
            analysis->main[analysis->mains++] = i;
}

static void rate_take(struct swi_analysis *analysis)
{
    double samples = 0;
    for (size_t i = 0; i < analysis->n; i++)
        samples += analysis->samples[i] > 0 ? (double)analysis->samples[i] : 0;
    analysis->has_samples = samples > 0;
    double done = analysis->has_samples ? samples : (double)analysis->n;
    analysis->rate = analysis->total > 0 ? done / (analysis->total * 1e-9) : 0;
}

/* Returns the place in its epoch of step i of the fit, from that of the step before. */
static int64_t place_of(const struct swi_advised *fit, size_t i, int64_t before)
{
    if (fit->first[i])
        return 0;
    return fit->block && i && i % fit->block == 0 ? fit->block_place[i / fit->block] : before + 1;
}

static void view_take(struct swi_analysis *analysis, size_t from)
{
    const struct swi_advised *fit = analysis->fit;
    int64_t place = 0;
    analysis->from = from;
    analysis->n = fit->steps - from;
    analysis->number = fit->number + from;
    analysis->samples = fit->samples + from;
    analysis->first = fit->first + from;
    analysis->draw = fit->draw_ns + from;
    analysis->batch = fit->batch_ns + from;
    for (size_t i = 0; i < analysis->n; i++) {
        place = place_of(fit, from + i, place);
        analysis->within[i] = place;
        analysis->s[i] = analysis->draw[i] + analysis->batch[i];
    }
    analysis->total = swi_sample_sum(analysis->s, analysis->n);
    analysis->typical = swi_sample_median(analysis->s, analysis->n, analysis->scratch);
    rate_take(analysis);
    actions_take(analysis, from);
    mains_take(analysis);
}

/* ---- whether the processor was taken away ---------------------------------------------------- */

static void contention_find(struct swi_analysis *analysis)
{
    size_t count = 0, *at = calloc(analysis->n + 1, sizeof *at);
    double *excess = calloc(2 * analysis->n + 1, sizeof *excess), cost = 0;
    analysis->failed = analysis->failed || !at || !excess;
    for (size_t i = 0; !analysis->failed && i < analysis->n; i++)
        excess[i] = analysis->batch[i] - analysis->local[i];
    double deviation =
        analysis->failed ? 0 : swi_sample_mad(excess, analysis->n, excess + analysis->n);
    for (size_t i = 0; !analysis->failed && i < analysis->n; i++) {
        if (!(analysis->batch[i] > CONTENDED_RATIO * analysis->local[i] &&
              excess[i] > CONTENDED_DEVIATIONS * deviation))
            continue;
        at[count++] = i;
        cost += excess[i];
    }
    analysis->contended = !analysis->failed && analysis->fit->preempted != 0 &&
                          cost / analysis->total >= CONTENDED &&
                          swi_one_at_a_time(analysis, at, count);
    free(excess);
    free(at);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static size_t room_of(const struct swi_advised *fit)
{
    size_t room = fit->steps;
    for (size_t i = 0; i < fit->series_count; i++)
        room = fit->series[i].bytes.count > room ? fit->series[i].bytes.count : room;
    return room + 1;
}

static bool memory_take(struct swi_analysis *analysis)
{
    size_t room = room_of(analysis->fit);
    analysis->s = calloc(room, sizeof *analysis->s);
    analysis->scratch = calloc(room, sizeof *analysis->scratch);
    analysis->whole = calloc(room, sizeof *analysis->whole);
    analysis->within = calloc(room, sizeof *analysis->within);
    analysis->action = calloc(analysis->fit->actions + 1, sizeof *analysis->action);
    analysis->main = calloc(room, sizeof *analysis->main);
    analysis->local = calloc(room, sizeof *analysis->local);
    analysis->explained = calloc(room, sizeof *analysis->explained);
    return analysis->s && analysis->scratch && analysis->whole && analysis->within &&
           analysis->action && analysis->main && analysis->local && analysis->explained;
}

static void steps_take(struct swi_analysis *analysis)
{
    const struct swi_advised *fit = analysis->fit;
    for (size_t i = 0; i < fit->steps; i++)
        analysis->s[i] = fit->draw_ns[i] + fit->batch_ns[i];
    double timed = swi_sample_sum(analysis->s + analysis->dropped, fit->steps - analysis->dropped);
    analysis->enough = fit->steps - analysis->dropped >= SWI_STEPS_LEAST && timed > 0;
    if (!analysis->enough)
        return;
    if (!fit->older)
        warm_find(analysis, analysis->s, fit->steps);
    size_t from = analysis->warm > analysis->dropped ? analysis->warm : analysis->dropped;
    view_take(analysis, fit->steps - from >= SWI_STEPS_LEAST ? from : analysis->dropped);
    swi_rolling_quantile(analysis->batch, analysis->n, 0.5, analysis->local);
    analysis->calm = swi_roughness(analysis->s, analysis->n) <= NOISY;
    contention_find(analysis);
}

bool swi_analysis_init(struct swi_analysis *analysis, const struct swi_advised *fit,
                       struct swi_advice *advice)
{
    *analysis = (struct swi_analysis){.fit = fit, .advice = advice};
    analysis->dropped = fit->drop_first && fit->steps && !fit->older;
    analysis->failed = !memory_take(analysis);
    if (!analysis->failed)
        steps_take(analysis);
    if (!analysis->failed && analysis->enough)
        analysis->failed = !places_find(&analysis->slow_draws, analysis->draw, analysis->n,
                                        0.25 * analysis->typical, NULL) ||
                           !places_find(&analysis->slow_batches, analysis->batch, analysis->n,
                                        0.25 * analysis->typical, analysis->samples);
    return !analysis->failed;
}

void swi_analysis_fini(struct swi_analysis *analysis)
{
    places_fini(&analysis->slow_draws);
    places_fini(&analysis->slow_batches);
    free(analysis->s);
    free(analysis->scratch);
    free(analysis->whole);
    free(analysis->within);
    free(analysis->action);
    free(analysis->main);
    free(analysis->local);
    free(analysis->explained);
}

bool swi_is_one_stretch(const struct swi_analysis *analysis, size_t i, size_t j)
{
    size_t block = analysis->fit->block, from = analysis->from;
    return !block || (from + i) / block == (from + j) / block;
}

int64_t swi_steps_unknown(const struct swi_advised *fit)
{
    return fit->older + fit->between_blocks;
}

void swi_analysis_explain(struct swi_analysis *analysis, const size_t *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        analysis->explained[at[i]] = true;
}
