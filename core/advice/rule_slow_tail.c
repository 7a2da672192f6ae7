/* SPDX-License-Identifier: MIT */
/* interrupted and slow-tail: single steps that take several times as long as their neighbours. If
 * the loop was preempted, it is random which action is slow: interrupted. The kernel's count of
 * preemptions, if the run has it, excludes or confirms that. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"
#include "core/advice/analysis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RATIO 3.0 /* relative to the median around the step */
#define DEVIATIONS 6.0
#define SHARE_LEAST 0.05
#define MEDIUM 0.10
#define FEW 0.25 /* of the steps at most; otherwise it is not a tail */
enum { STEPS_LEAST = 5, SHOWN = 3 };

/* The slow steps. */
struct tail {
    size_t count;
    size_t *at;
    double *more; /* how much longer than the median around it each of them takes */
    double share;
    struct swi_slow_part part;
    size_t worst[SHOWN]; /* the slowest, the first of equal ones */
    size_t worsts;
};

static const char formula_of_interrupted[] =
    "batches above twice their neighbours are slow in one action, any of them; steps > 3 x the "
    "median around them and > 6 deviations, at least 5: what they take longer is >= 5 % of "
    "training; gain = share / (1 - share)";

static const char formula_of_tail[] =
    "steps > 3 x the median around them and > 6 deviations, 5 to 25 % of all: what they take "
    "longer is >= 5 % of training; gain = share / (1 - share)";

static void tail_take(struct swi_analysis *analysis, struct tail *tail)
{
    double *local = analysis->whole, cost = 0;
    swi_rolling_quantile(analysis->s, analysis->n, 0.5, local);
    for (size_t i = 0; i < analysis->n; i++)
        tail->more[i] = analysis->s[i] - local[i];
    double deviation = swi_sample_mad(tail->more, analysis->n, analysis->scratch);
    for (size_t i = 0; i < analysis->n; i++) {
        double more = tail->more[i];
        if (analysis->explained[i] || !(analysis->s[i] > RATIO * local[i]) ||
            !(more > DEVIATIONS * deviation))
            continue;
        tail->more[tail->count] = more;
        tail->at[tail->count++] = i;
        cost += more;
    }
    tail->share = cost / analysis->total;
}

static void worst_take(const struct swi_analysis *analysis, struct tail *tail)
{
    for (size_t i = 0; i < tail->count; i++) {
        size_t order = tail->worsts;
        while (order > 0 && analysis->s[tail->worst[order - 1]] < analysis->s[tail->at[i]])
            order--;
        if (order == SHOWN)
            continue;
        tail->worsts += tail->worsts < SHOWN;
        memmove(tail->worst + order + 1, tail->worst + order,
                (tail->worsts - order - 1) * sizeof *tail->worst);
        tail->worst[order] = tail->at[i];
    }
}

static enum sw_finding_level level_of(const struct tail *tail)
{
    return tail->share >= MEDIUM ? SW_FINDING_MEDIUM : SW_FINDING_NOTE;
}

static void without_that(struct swi_draft *said, const struct swi_analysis *analysis)
{
    swi_text_put(&said->text, " Without that, the loop would do ");
    swi_faster(&said->text, analysis, said->gain);
}

static void say_interrupted(struct swi_analysis *analysis, const struct tail *tail)
{
    bool certain = analysis->fit->preempted >= (int64_t)tail->count;
    struct swi_draft said = {.id = "interrupted",
                             .formula = formula_of_interrupted,
                             .level = level_of(tail),
                             .gain = swi_gain_of(tail->share)};
    swi_text_format(
        &said.text,
        "%zu of %s steps were held up, typically by %s, now in one action "
        "and now in another: %s of the training time.",
        tail->count, swi_word_rate((double)analysis->n).text,
        swi_word_time(swi_sample_median(tail->more, tail->count, analysis->scratch)).text,
        swi_word_percent(tail->share).text);
    if (certain)
        swi_text_format(&said.text, " The kernel took the processor from the loop %s times.",
                        swi_word_count(analysis->fit->preempted).text);
    else
        swi_text_put(&said.text, " Usually other programs, or more threads than cores, held the "
                                 "processor.");
    without_that(&said, analysis);
    swi_text_put(&said.next, SWI_TRY_OTHER_CORES);
    swi_draft_number(&said, "share", tail->share);
    swi_draft_count(&said, "count", (int64_t)tail->count);
    swi_draft_steps(&said, analysis, tail->worst, tail->worsts);
    swi_find(analysis, &said);
}

static void say_tail(struct swi_analysis *analysis, const struct tail *tail)
{
    struct swi_draft said = {.id = "slow-tail",
                             .formula = formula_of_tail,
                             .level = level_of(tail),
                             .gain = swi_gain_of(tail->share)};
    swi_text_format(&said.text, "%zu of %s steps took more than 3 times the usual %s", tail->count,
                    swi_word_rate((double)analysis->n).text, swi_word_time(analysis->typical).text);
    swi_slow_part_put(&said.text, analysis, &tail->part);
    swi_text_format(&said.text,
                    ": %s of the training time. The slowest: ", swi_word_percent(tail->share).text);
    for (size_t i = 0; i < tail->worsts; i++)
        swi_text_format(&said.text, "%s%" PRId64 " (%s)", i ? ", " : "",
                        analysis->number[tail->worst[i]],
                        swi_word_time(analysis->s[tail->worst[i]]).text);
    swi_text_put(&said.text, ".");
    without_that(&said, analysis);
    if (strcmp(tail->part.action, "*") == 0)
        swi_text_put(&said.next, "All parts of these steps are slow in proportion, as when their "
                                 "batches hold more data. Put samples of similar length together.");
    else
        swi_text_put(&said.next,
                     "Look for what these steps have in common: their data, or what the "
                     "program does then.");
    swi_draft_number(&said, "share", tail->share);
    swi_draft_count(&said, "count", (int64_t)tail->count);
    swi_draft_steps(&said, analysis, tail->worst, tail->worsts);
    swi_draft_text(&said, "action", tail->part.action);
    swi_find(analysis, &said);
}

static bool is_blocked(const struct swi_analysis *analysis, const struct tail *tail)
{
    return analysis->irregular_bursts ||
           (strcmp(tail->part.action, "draw") == 0 && swi_is_found(analysis, "input-bound"));
}

static void tail_check(struct swi_analysis *analysis, struct tail *tail)
{
    tail_take(analysis, tail);
    worst_take(analysis, tail);
    tail->part = swi_slow_part_of(analysis, tail->at, tail->count);
    bool much = tail->count >= STEPS_LEAST && tail->share >= SHARE_LEAST;
    bool few = (double)tail->count <= FEW * (double)analysis->n;
    if (much && analysis->contended)
        say_interrupted(analysis, tail);
    else if (much && few && !is_blocked(analysis, tail))
        say_tail(analysis, tail);
    else
        swi_check(analysis, "slow-tail", SWI_RULE_NONE,
                  "%zu step%s of more than 3 times the usual cost%s %s", tail->count,
                  tail->count == 1 ? "" : "s", tail->count == 1 ? "s" : "",
                  swi_word_percent(tail->share).text);
}

static void slow_tail(struct swi_analysis *analysis)
{
    struct tail tail = {.at = calloc(analysis->n + 1, sizeof *tail.at),
                        .more = calloc(analysis->n + 1, sizeof *tail.more),
                        .part = {"", false}};
    if (tail.at && tail.more)
        tail_check(analysis, &tail);
    else
        analysis->failed = true;
    free(tail.at);
    free(tail.more);
}

const struct swi_rule swi_rule_slow_tail = {"slow-tail", SWI_NEEDS_STEPS, slow_tail};
