/* SPDX-License-Identifier: MIT */
/* two-kinds: steps of equal size are either fast or slow, with few in between. Uses the split of
 * their logarithms that explains most of the variance (like Otsu's threshold). */
#include "core/advice/rules.h"
#include "core/advice/analysis.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>

#define RATIO_LEAST 1.3
#define MINOR_LEAST 0.15 /* the smaller kind */
#define VALLEY_MOST 0.10 /* in the middle half between the two */
#define GAIN_LEAST 0.10
#define WAITED_LEAST 0.5 /* of the time that the slow kind takes longer */
enum { CHANGES_LEAST = 10, STEPS_A_CHANGE = 20 };
/* The variance of two kinds is at least m (1 - m) ln(ratio)^2, m the smaller kind. With less there
 * cannot be two; a little less than that, because it is rounded. */
#define VARIANCE_LEAST                                                                             \
    (0.99 * MINOR_LEAST * (1 - MINOR_LEAST) * log(RATIO_LEAST) * log(RATIO_LEAST))

struct kinds {
    size_t count;
    size_t *at; /* the judged steps */
    double *y;  /* logarithms of those that took any time */
    size_t timed;
    size_t k;          /* how many of them are fast */
    double fast, slow; /* means of the logarithms */
    size_t slows;
    size_t *slow_at;
    size_t changes;
    double gain;
};

static const char formula[] =
    "best split of the logarithms of the steps: ratio >= 1.3, smaller kind >= 15 %, <= 10 % "
    "between the kinds, they take turns; gain = mean / mean of the fast kind - 1 >= 10 %";

static void split(struct kinds *kinds)
{
    double below = 0, total = 0, best = -1;
    size_t n = kinds->timed;
    for (size_t i = 0; i < n; i++)
        total += kinds->y[i];
    for (size_t k = 1; k < n; k++) {
        below += kinds->y[k - 1];
        double m1 = below / (double)k, m2 = (total - below) / (double)(n - k);
        double between = (double)k * (double)(n - k) * (m2 - m1) * (m2 - m1);
        if (between <= best)
            continue;
        best = between;
        kinds->k = k;
        kinds->fast = m1;
        kinds->slow = m2;
    }
}

/* Finds which step is of which kind, and the cost of the slow ones. */
static void kinds_tell(const struct swi_analysis *analysis, struct kinds *kinds)
{
    double cut = exp((kinds->y[kinds->k - 1] + kinds->y[kinds->k]) / 2), fast = 0, all = 0;
    bool before = false;
    for (size_t i = 0; i < kinds->count; i++) {
        double s = analysis->s[kinds->at[i]];
        bool slow = s > cut;
        kinds->changes += i > 0 && slow != before;
        before = slow;
        all += s;
        fast += slow ? 0 : s;
        if (slow)
            kinds->slow_at[kinds->slows++] = kinds->at[i];
    }
    double mean = all / (double)kinds->timed;
    fast /= (double)kinds->k;
    kinds->gain = fast > 0 ? mean / fast - 1 : 0;
}

static double valley_of(const struct kinds *kinds)
{
    double gap = kinds->slow - kinds->fast;
    size_t in = 0;
    for (size_t i = 0; i < kinds->timed; i++)
        in += kinds->y[i] > kinds->fast + 0.25 * gap && kinds->y[i] < kinds->fast + 0.75 * gap;
    return (double)in / (double)kinds->timed;
}

static bool vary_enough(const struct kinds *kinds)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < kinds->timed; i++)
        mean += kinds->y[i] / (double)kinds->timed;
    for (size_t i = 0; i < kinds->timed; i++)
        squares += (kinds->y[i] - mean) * (kinds->y[i] - mean);
    return squares / (double)kinds->timed >= VARIANCE_LEAST;
}

/* Sorts the logarithms and splits them. */
static bool are_two(const struct swi_analysis *analysis, struct kinds *kinds)
{
    if (!vary_enough(kinds))
        return false;
    qsort(kinds->y, kinds->timed, sizeof *kinds->y, swi_by_double);
    split(kinds);
    kinds_tell(analysis, kinds);
    size_t n = kinds->timed, minor = kinds->k < n - kinds->k ? kinds->k : n - kinds->k;
    size_t changes = n / STEPS_A_CHANGE > CHANGES_LEAST ? n / STEPS_A_CHANGE : CHANGES_LEAST;
    return exp(kinds->slow - kinds->fast) >= RATIO_LEAST &&
           (double)minor / (double)n >= MINOR_LEAST && valley_of(kinds) <= VALLEY_MOST &&
           kinds->changes >= changes && kinds->gain >= GAIN_LEAST;
}

static const char formula_of_interrupted[] =
    "two kinds of steps, and the loop's thread waited for a processor for at least half of the "
    "time "
    "that the slow ones took longer; gain = mean / mean of the fast kind - 1";

/* Returns how much longer the slow steps took together. */
static double longer_of(const struct swi_analysis *analysis, const struct kinds *kinds)
{
    double ns = 0;
    for (size_t i = 0; i < kinds->slows; i++)
        ns += analysis->s[kinds->slow_at[i]];
    return ns - (double)kinds->slows * exp(kinds->fast);
}

/* The kernel's figure is of all steps, including those that are not known one by one. */
static bool are_interrupted(const struct swi_analysis *analysis, const struct kinds *kinds)
{
    const struct swi_advised *fit = analysis->fit;
    double known = (double)fit->steps / ((double)fit->steps + (double)swi_steps_unknown(fit));
    return fit->waited_ns * known >= WAITED_LEAST * longer_of(analysis, kinds);
}

static void say_interrupted(struct swi_analysis *analysis, const struct kinds *kinds)
{
    struct swi_draft said = {.id = "interrupted",
                             .formula = formula_of_interrupted,
                             .level = SW_FINDING_NOTE,
                             .gain = kinds->gain};
    swi_text_format(&said.text,
                    "%zu of %s steps took about %s instead of %s. In this fit, the loop was ready "
                    "to run and waited %s for a processor. Without that, the loop would do ",
                    kinds->slows, swi_word_rate((double)kinds->count).text,
                    swi_word_time(exp(kinds->slow)).text, swi_word_time(exp(kinds->fast)).text,
                    swi_word_time(analysis->fit->waited_ns).text);
    swi_faster(&said.text, analysis, kinds->gain);
    swi_text_put(&said.next, SWI_TRY_OTHER_CORES);
    swi_draft_number(&said, "waited_ns", analysis->fit->waited_ns);
    swi_draft_count(&said, "count", (int64_t)kinds->slows);
    swi_find(analysis, &said);
    swi_check(analysis, "two-kinds", SWI_RULE_ABSTAINED, "something else explains it");
}

static void say(struct swi_analysis *analysis, const struct kinds *kinds)
{
    struct swi_slow_part part = swi_slow_part_of(analysis, kinds->slow_at, kinds->slows);
    double share = (double)kinds->k / (double)kinds->timed;
    struct swi_draft said = {
        .id = "two-kinds", .formula = formula, .level = SW_FINDING_NOTE, .gain = kinds->gain};
    swi_text_format(&said.text,
                    "Steps of equal size come in two kinds: %s take about %s, the "
                    "others %s",
                    swi_word_percent(share).text, swi_word_time(exp(kinds->fast)).text,
                    swi_word_time(exp(kinds->slow)).text);
    swi_slow_part_put(&said.text, analysis, &part);
    swi_text_put(&said.text, ". If all were fast, the loop would do ");
    swi_faster(&said.text, analysis, kinds->gain);
    swi_text_put(&said.next, "Find out what the slow kind has in common: longer sequences, a "
                             "branch, gradients that are accumulated, or two kinds of processor "
                             "cores.");
    swi_draft_number(&said, "fast_ns", exp(kinds->fast));
    swi_draft_number(&said, "slow_ns", exp(kinds->slow));
    swi_draft_number(&said, "fast_part", share);
    swi_draft_text(&said, "action", part.action);
    swi_find(analysis, &said);
}

static void kinds_take(const struct swi_analysis *analysis, struct kinds *kinds)
{
    for (size_t i = 0; i < analysis->mains; i++)
        if (!analysis->explained[analysis->main[i]])
            kinds->at[kinds->count++] = analysis->main[i];
    for (size_t i = 0; i < kinds->count; i++)
        if (analysis->s[kinds->at[i]] > 0)
            kinds->y[kinds->timed++] = log(analysis->s[kinds->at[i]]);
}

static bool is_explained(const struct swi_analysis *analysis)
{
    return swi_is_found(analysis, "drift") || swi_is_found(analysis, "shift") ||
           swi_is_found(analysis, "input-bound") || swi_is_found(analysis, "interrupted");
}

static void kinds_check(struct swi_analysis *analysis, struct kinds *kinds)
{
    kinds_take(analysis, kinds);
    if (kinds->count < SWI_STEPS_LEAST || kinds->timed < 2 || is_explained(analysis)) {
        swi_check(analysis, "two-kinds", SWI_RULE_ABSTAINED, "something else explains it");
        return;
    }
    if (!are_two(analysis, kinds))
        swi_check(analysis, "two-kinds", SWI_RULE_NONE, "no clear gap between fast and slow steps");
    else if (are_interrupted(analysis, kinds))
        say_interrupted(analysis, kinds);
    else
        say(analysis, kinds);
}

static void two_kinds(struct swi_analysis *analysis)
{
    struct kinds kinds = {.at = calloc(analysis->mains + 1, sizeof *kinds.at),
                          .y = calloc(analysis->mains + 1, sizeof *kinds.y),
                          .slow_at = calloc(analysis->mains + 1, sizeof *kinds.slow_at)};
    if (kinds.at && kinds.y && kinds.slow_at)
        kinds_check(analysis, &kinds);
    else
        analysis->failed = true;
    free(kinds.at);
    free(kinds.y);
    free(kinds.slow_at);
}

const struct swi_rule swi_rule_two_kinds = {"two-kinds", SWI_NEEDS_CALM, two_kinds};
