/* SPDX-License-Identifier: MIT */
/* drift and shift: steps of the usual size that became slower, gradually or suddenly. If both match
 * equally well, it is not a drift. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { STEPS_LEAST = 96 };
#define DRIFT_LEAST 0.10
#define DRIFT_LOW_LEAST 0.05 /* the lower bound of its interval */
#define DRIFT_Z_LEAST 3.29
#define DEVIATION_MOST 1.2 /* relative to that of a shift */
#define SHIFT_LEAST 0.15
#define SHIFT_DEVIATIONS 4.0
#define SHIFT_PAIRS_LEAST 0.95 /* of the pairs of a stretch before and one after are in order */
#define THIRDS_LEAST 0.08      /* of the last third above the first */
#define NEAR 0.05
#define NEAR_Z 2.58
#define SIZES_DIFFER 0.1

/* Medians of stretches, and results. */
struct step_levels {
    const double *x; /* of the steps of the usual size */
    size_t n, count, length;
    double y[SWI_STRETCHES_MAX];
    struct swi_trend trend;
    struct swi_shift shift;
    double thirds, more; /* the last third compared with the first: relative, and in nanoseconds */
    double rise;         /* of the shift, relative */
    double inside;       /* deviation within the two levels */
    double pairs;        /* share of the pairs in order */
};

/* ---- looking --------------------------------------------------------------------------------- */

static const char formula_of_drift[] =
    "medians of 16 to 31 stretches: slope (Theil and Sen) >= 10 %, its lower 99.5 % bound >= 5 %, "
    "z (Mann and Kendall) >= 3.29, last third >= 8 % above the first; gain = mean / start - 1";

static const char formula_of_shift[] =
    "medians of 16 to 31 stretches, two levels: rise >= 15 % and >= 4 deviations, 95 % of the "
    "pairs in order, last third >= 8 % above the first; gain = mean / before - 1";

static double first_third(const double *y, size_t n)
{
    double scratch[SWI_STRETCHES_MAX];
    return swi_sample_median(y, n / 3, scratch);
}

static double last_third(const double *y, size_t n)
{
    return first_third(y + n - n / 3, n);
}

static double pairs_in_order(const struct step_levels *l)
{
    size_t c = l->shift.at, in_order = 0;
    for (size_t i = 0; i < c; i++)
        for (size_t j = c; j < l->count; j++)
            in_order += l->y[j] > l->y[i];
    return (double)in_order / (double)(c * (l->count - c));
}

/* Returns the deviation between stretches, or that of their medians because of the noise within
 * them. */
static double deviation_inside(const struct step_levels *l, struct swi_analysis *analysis,
                               double *residue)
{
    double level[SWI_STRETCHES_MAX], scratch[SWI_STRETCHES_MAX];
    for (size_t k = 0; k < l->count; k++)
        level[k] = l->y[k] - (k < l->shift.at ? l->shift.before : l->shift.after);
    for (size_t i = 0; i < l->n; i++) {
        size_t k = i / l->length;
        residue[i] = l->x[i] - l->y[k < l->count ? k : l->count - 1];
    }
    double within =
        1.2533 * swi_sample_mad(residue, l->n, analysis->scratch) / sqrt((double)l->length);
    return fmax(swi_sample_mad(level, l->count, scratch), within);
}

/* Returns how much longer an action takes in the last third. ns: of each step. */
static double more_of(const struct swi_analysis *analysis, const struct step_levels *l,
                      const double *ns, double *of_mains)
{
    double median[SWI_STRETCHES_MAX];
    for (size_t i = 0; i < l->n; i++)
        of_mains[i] = ns[analysis->main[i]];
    swi_stretch_medians(of_mains, l->n, median, analysis->scratch);
    return last_third(median, l->count) - first_third(median, l->count);
}

/* Returns the action with at least half of it; "": none. */
static const char *whose(const struct swi_analysis *analysis, const struct step_levels *l)
{
    double *room = analysis->whole;
    const char *best = "draw";
    double most = more_of(analysis, l, analysis->draw, room);
    for (size_t a = 0; a < analysis->actions; a++) {
        double more = more_of(analysis, l, analysis->action[a].ns, room);
        best = more > most ? analysis->action[a].name : best;
        most = fmax(more, most);
    }
    return l->more > 0 && most >= 0.5 * l->more ? best : "";
}

/* room: for as many values as there are steps. */
static void levels_take(struct swi_analysis *analysis, struct step_levels *l, double *x,
                        double *room)
{
    l->x = x;
    l->n = analysis->mains;
    for (size_t i = 0; i < l->n; i++)
        x[i] = analysis->s[analysis->main[i]];
    struct swi_stretches s = swi_stretch_medians(x, l->n, l->y, analysis->scratch);
    l->count = s.count;
    l->length = s.length;
    l->trend = swi_trend_of(l->y, l->count);
    l->shift = swi_shift_of(l->y, l->count);
    double first = first_third(l->y, l->count), last = last_third(l->y, l->count);
    l->thirds = first > 0 ? last / first - 1 : 0;
    l->more = last - first;
    l->rise = l->shift.before > 0 ? l->shift.after / l->shift.before - 1 : 0;
    l->pairs = pairs_in_order(l);
    l->inside = deviation_inside(l, analysis, room);
}

/* ---- saying ---------------------------------------------------------------------------------- */

/* Says which action it is mostly in. */
static void action_put(struct swi_draft *said, const char *action)
{
    if (*action)
        swi_text_format(&said->text, ", mostly in %s", action);
}

static void then_put(struct swi_draft *said, const struct swi_analysis *analysis)
{
    swi_text_put(&said->text, ". As fast as at first, the loop would do ");
    swi_faster(&said->text, analysis, said->gain);
}

static double mean_of(const struct step_levels *l)
{
    return swi_sample_sum(l->y, l->count) / (double)l->count;
}

static void say_drift(struct swi_analysis *analysis, const struct step_levels *l)
{
    double start = l->trend.start, least = fmin(start, l->y[0]);
    const char *action = whose(analysis, l);
    struct swi_draft said = {.id = "drift",
                             .formula = formula_of_drift,
                             .level = SW_FINDING_MEDIUM,
                             .gain = least > 0 ? mean_of(l) / least - 1 : 0};
    swi_text_format(&said.text,
                    "Steps became slower and slower: %s longer at the end than at the "
                    "start (%s, then %s)",
                    swi_word_percent(l->trend.change).text, swi_word_time(start).text,
                    swi_word_time(start * (1 + l->trend.change)).text);
    action_put(&said, action);
    then_put(&said, analysis);
    swi_text_put(&said.next,
                 "Look for something that grows: a list, a log, a cache, memory that is "
                 "swapped, or data that gets longer. If nothing grows, the processor "
                 "may become hot: watch its clock rate.");
    swi_draft_number(&said, "change", l->trend.change);
    swi_draft_number(&said, "low", l->trend.low);
    swi_draft_number(&said, "z", l->trend.z);
    swi_draft_text(&said, "action", action);
    swi_find(analysis, &said);
}

static void say_shift(struct swi_analysis *analysis, const struct step_levels *l)
{
    int64_t step = analysis->number[analysis->main[l->shift.at * l->length]];
    const char *action = whose(analysis, l);
    struct swi_draft said = {.id = "shift",
                             .formula = formula_of_shift,
                             .level = SW_FINDING_MEDIUM,
                             .gain = mean_of(l) / l->shift.before - 1};
    swi_text_format(&said.text, "From about step %s on, a step takes %s longer (%s, before %s)",
                    swi_word_count(step).text, swi_word_percent(l->rise).text,
                    swi_word_time(l->shift.after).text, swi_word_time(l->shift.before).text);
    action_put(&said, action);
    then_put(&said, analysis);
    swi_text_put(&said.next, "Find out what changed then: another program on the machine, the "
                             "cooling, a schedule of your own.");
    swi_draft_number(&said, "change", l->rise);
    swi_draft_count(&said, "step", step);
    swi_draft_text(&said, "action", action);
    swi_find(analysis, &said);
}

/* ---- judging --------------------------------------------------------------------------------- */

static bool is_drift(const struct step_levels *l)
{
    return l->trend.change >= DRIFT_LEAST && l->trend.low >= DRIFT_LOW_LEAST &&
           l->trend.z >= DRIFT_Z_LEAST && l->thirds >= THIRDS_LEAST &&
           l->trend.deviation <= DEVIATION_MOST * l->shift.deviation;
}

static bool is_shift(const struct step_levels *l)
{
    return l->rise >= SHIFT_LEAST &&
           l->shift.after - l->shift.before >= SHIFT_DEVIATIONS * l->inside &&
           l->thirds >= THIRDS_LEAST && l->pairs >= SHIFT_PAIRS_LEAST;
}

static void levels_check(struct swi_analysis *analysis, const struct step_levels *l)
{
    bool near = l->trend.change >= NEAR && l->trend.z >= NEAR_Z;
    if (is_drift(l))
        say_drift(analysis, l);
    else if (is_shift(l))
        say_shift(analysis, l);
    else
        swi_check(analysis, "drift", near ? SWI_RULE_NEAR : SWI_RULE_NONE,
                  "from the start to the end %s", swi_word_change(l->trend.change).text);
}

static double samples_median(struct swi_analysis *analysis, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        analysis->whole[i] = (double)analysis->samples[from + i];
    return swi_sample_median(analysis->whole, count, analysis->scratch);
}

/* Compares the sizes in the first and the last third of the steps. */
static bool size_changes(struct swi_analysis *analysis)
{
    size_t third = analysis->n / 3;
    double a = samples_median(analysis, 0, third);
    double b = samples_median(analysis, analysis->n - third, third);
    double larger = fmax(a, b);
    return larger != 0 && fabs(a - b) > SIZES_DIFFER * larger;
}

static void drift(struct swi_analysis *analysis)
{
    struct step_levels levels = {0};
    if (analysis->mains < STEPS_LEAST) {
        swi_check(analysis, "drift", SWI_RULE_ABSTAINED, "fewer than %d steps of equal size",
                  STEPS_LEAST);
        return;
    }
    if (size_changes(analysis)) {
        swi_check(analysis, "drift", SWI_RULE_ABSTAINED, "the batch size changes");
        return;
    }
    double *x = calloc(analysis->mains + 1, sizeof *x);
    if (x) {
        levels_take(analysis, &levels, x, analysis->whole);
        levels_check(analysis, &levels);
    }
    analysis->failed = analysis->failed || !x;
    free(x);
}

const struct swi_rule swi_rule_drift = {"drift", SWI_NEEDS_CALM, drift};
