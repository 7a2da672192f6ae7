/* SPDX-License-Identifier: MIT */
/* periodic: every k-th batch is slow, as with logging, checkpoints, or collecting garbage. */
#include "core/advice/sample_statistics.h"
#include "core/advice/rules.h"
#include "core/advice/analysis.h"

#include <inttypes.h>

#define SHARE_LEAST 0.03
#define MEDIUM 0.10

static const char formula[] =
    "batches > 6 deviations and > 1/4 step above their neighbours, at a period (p < 0.0001): what "
    "they take longer is >= 3 % of training; gain = share / (1 - share)";

static void say(struct swi_analysis *analysis, const struct swi_period *period, double cost)
{
    struct swi_slow_part part = swi_slow_part_of(analysis, period->at, period->count);
    double share = cost / analysis->total, each = cost / (double)period->count;
    struct swi_draft said = {.id = "periodic",
                             .formula = formula,
                             .level = share >= MEDIUM ? SW_FINDING_MEDIUM : SW_FINDING_NOTE,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text, "Every %s step takes %s longer",
                    swi_word_ordinal(period->every).text, swi_word_time(each).text);
    swi_slow_part_put(&said.text, analysis, &part);
    swi_text_format(&said.text, ": %s of the training time. Without that, the loop would do ",
                    swi_word_percent(share).text);
    swi_faster(&said.text, analysis, said.gain);
    swi_text_format(&said.next,
                    "Look for what is done every %" PRId64 " steps: logging, a "
                    "checkpoint, an evaluation, collecting garbage. Do it more rarely, "
                    "or on another thread.",
                    period->every);
    swi_draft_period(&said, share, period->every, each, period->count);
    swi_draft_text(&said, "action", part.action);
    swi_find(analysis, &said);
}

static void period_check(struct swi_analysis *analysis, const struct swi_period *period)
{
    const struct swi_places *slow = &analysis->slow_batches;
    double cost = swi_period_cost(period, slow);
    bool found = period->every && cost / analysis->total >= SHARE_LEAST;
    if (found && analysis->contended && swi_one_at_a_time(analysis, period->at, period->count)) {
        swi_check(analysis, "periodic", SWI_RULE_NONE,
                  "about every %s step is slow, but in any action: see interrupted",
                  swi_word_ordinal(period->every).text);
    } else if (found) {
        swi_analysis_explain(analysis, period->at, period->count);
        say(analysis, period, cost);
    } else {
        swi_check(analysis, "periodic", SWI_RULE_NONE, "%zu slow batch%s cost%s %s", slow->count,
                  slow->count == 1 ? "" : "es", slow->count == 1 ? "s" : "",
                  swi_word_percent(slow->cost / analysis->total).text);
    }
}

static void periodic(struct swi_analysis *analysis)
{
    struct swi_period period = {0};
    if (swi_period_find(&period, &analysis->slow_batches, analysis))
        period_check(analysis, &period);
    else
        analysis->failed = true;
    swi_period_fini(&period);
}

const struct swi_rule swi_rule_periodic = {"periodic", SWI_NEEDS_STEPS, periodic};
