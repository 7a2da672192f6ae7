/* SPDX-License-Identifier: MIT */
#include "core/advice/judge.h"

#include "core/advice/sample_statistics.h"
#include "core/advice/slow_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static void warm_find(struct swi_judge *judge, const double *s, size_t n)
{
    const double *rest = s + n / 4;
    double later = swi_sample_median(rest, n - n / 4, judge->scratch);
    double spread = swi_sample_mad(rest, n - n / 4, judge->scratch);
    double limit = fmax(WARM_RATIO * later, later + WARM_DEVIATIONS * spread);
    size_t w = 0;
    while (w < n / 4 && median_of_three(s + w, n - w) > limit)
        w++;
    if (w == 0 && s[0] > limit)
        w = 1;
    judge->warm = w;
    judge->warm_cost = swi_sample_sum(s, w) - (double)w * later;
    judge->warm_total = swi_sample_sum(s, n);
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
    const struct swi_judged_action *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Takes the actions that ran in these steps. */
static void actions_take(struct swi_judge *judge, size_t from)
{
    for (size_t a = 0; a < judge->fit->actions; a++) {
        const struct swi_advised_action *action = &judge->fit->action[a];
        if (action->last < from || judge->n == 0)
            continue;
        judge->action[judge->actions++] = (struct swi_judged_action){
            action->name, action->ns + from, swi_sample_sum(action->ns + from, judge->n),
            is_standard(action->name)};
    }
    qsort(judge->action, judge->actions, sizeof *judge->action, by_name);
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the most frequent size, the smallest of equally frequent ones. */
static int64_t size_find(const int64_t *samples, size_t n)
{
    int64_t best = 0, *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return INT64_MIN;
    memcpy(sorted, samples, n * sizeof *sorted);
    swi_sort(sorted, n, sizeof *sorted, ascending);
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

static void mains_take(struct swi_judge *judge)
{
    judge->size = size_find(judge->samples, judge->n);
    judge->failed = judge->failed || judge->size == INT64_MIN;
    for (size_t i = 0; i < judge->n; i++)
        if (judge->samples[i] == judge->size)
            judge->main[judge->mains++] = i;
}

static void rate_take(struct swi_judge *judge)
{
    double samples = 0;
    for (size_t i = 0; i < judge->n; i++)
        samples += judge->samples[i] > 0 ? (double)judge->samples[i] : 0;
    judge->has_samples = samples > 0;
    double done = judge->has_samples ? samples : (double)judge->n;
    judge->rate = judge->total > 0 ? done / (judge->total * 1e-9) : 0;
}

static void view_take(struct swi_judge *judge, size_t from)
{
    const struct swi_advised *fit = judge->fit;
    int64_t place = 0;
    judge->n = fit->steps - from;
    judge->number = fit->number + from;
    judge->samples = fit->samples + from;
    judge->first = fit->first + from;
    judge->draw = fit->draw_ns + from;
    judge->batch = fit->batch_ns + from;
    for (size_t i = 0; i < judge->n; i++) {
        place = judge->first[i] ? 0 : place + 1;
        judge->within[i] = place;
        judge->s[i] = judge->draw[i] + judge->batch[i];
    }
    judge->total = swi_sample_sum(judge->s, judge->n);
    judge->typical = swi_sample_median(judge->s, judge->n, judge->scratch);
    rate_take(judge);
    actions_take(judge, from);
    mains_take(judge);
}

/* ---- whether the processor was taken away ---------------------------------------------------- */

static void contention_find(struct swi_judge *judge)
{
    size_t count = 0, *at = calloc(judge->n + 1, sizeof *at);
    double *apart = calloc(2 * judge->n + 1, sizeof *apart), cost = 0;
    judge->failed = judge->failed || !at || !apart;
    for (size_t i = 0; !judge->failed && i < judge->n; i++)
        apart[i] = judge->batch[i] - judge->local[i];
    double deviation = judge->failed ? 0 : swi_sample_mad(apart, judge->n, apart + judge->n);
    for (size_t i = 0; !judge->failed && i < judge->n; i++) {
        if (!(judge->batch[i] > CONTENDED_RATIO * judge->local[i] &&
              apart[i] > CONTENDED_DEVIATIONS * deviation))
            continue;
        at[count++] = i;
        cost += apart[i];
    }
    judge->contended = !judge->failed && judge->fit->preempted != 0 &&
                       cost / judge->total >= CONTENDED && swi_one_at_a_time(judge, at, count);
    free(apart);
    free(at);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static size_t room_of(const struct swi_advised *fit)
{
    size_t room = fit->steps;
    for (size_t i = 0; i < fit->series_count; i++)
        room = fit->series[i].count > room ? fit->series[i].count : room;
    return room + 1;
}

static bool memory_take(struct swi_judge *judge)
{
    size_t room = room_of(judge->fit);
    judge->s = calloc(room, sizeof *judge->s);
    judge->scratch = calloc(room, sizeof *judge->scratch);
    judge->whole = calloc(room, sizeof *judge->whole);
    judge->within = calloc(room, sizeof *judge->within);
    judge->action = calloc(judge->fit->actions + 1, sizeof *judge->action);
    judge->main = calloc(room, sizeof *judge->main);
    judge->local = calloc(room, sizeof *judge->local);
    judge->explained = calloc(room, sizeof *judge->explained);
    return judge->s && judge->scratch && judge->whole && judge->within && judge->action &&
           judge->main && judge->local && judge->explained;
}

static void steps_take(struct swi_judge *judge)
{
    const struct swi_advised *fit = judge->fit;
    for (size_t i = 0; i < fit->steps; i++)
        judge->s[i] = fit->draw_ns[i] + fit->batch_ns[i];
    double timed = swi_sample_sum(judge->s + judge->dropped, fit->steps - judge->dropped);
    judge->enough = fit->steps - judge->dropped >= SWI_STEPS_LEAST && timed > 0;
    if (!judge->enough)
        return;
    if (!fit->older)
        warm_find(judge, judge->s, fit->steps);
    size_t from = judge->warm > judge->dropped ? judge->warm : judge->dropped;
    view_take(judge, fit->steps - from >= SWI_STEPS_LEAST ? from : judge->dropped);
    swi_rolling_quantile(judge->batch, judge->n, 0.5, judge->local);
    judge->calm = swi_roughness(judge->s, judge->n) <= NOISY;
    contention_find(judge);
}

bool swi_judge_init(struct swi_judge *judge, const struct swi_advised *fit,
                    struct swi_advice *advice)
{
    *judge = (struct swi_judge){.fit = fit, .advice = advice};
    judge->dropped = fit->drop_first && fit->steps && !fit->older;
    judge->failed = !memory_take(judge);
    if (!judge->failed)
        steps_take(judge);
    if (!judge->failed && judge->enough)
        judge->failed = !swi_places_find(&judge->slow_draws, judge->draw, judge->n,
                                         0.25 * judge->typical, NULL) ||
                        !swi_places_find(&judge->slow_batches, judge->batch, judge->n,
                                         0.25 * judge->typical, judge->samples);
    return !judge->failed;
}

void swi_judge_fini(struct swi_judge *judge)
{
    swi_places_fini(&judge->slow_draws);
    swi_places_fini(&judge->slow_batches);
    free(judge->s);
    free(judge->scratch);
    free(judge->whole);
    free(judge->within);
    free(judge->action);
    free(judge->main);
    free(judge->local);
    free(judge->explained);
}

void swi_judge_explain(struct swi_judge *judge, const size_t *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        judge->explained[at[i]] = true;
}
