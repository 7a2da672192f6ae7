/* SPDX-License-Identifier: MIT */
/* periodic: every k-th batch is slow, as with logging, checkpoints, or collecting garbage. */
#include "core/advice/periods.h"
#include "core/advice/rules.h"
#include "core/advice/finding_draft.h"
#include "core/advice/slow_parts.h"
#include "core/advice/number_words.h"

#include <inttypes.h>

#define SHARE_LEAST 0.03
#define MEDIUM 0.10

static const char formula[] =
    "batches > 6 deviations and > 1/4 step above their neighbours, at a period (p < 0.0001): what "
    "they take longer is >= 3 % of training; gain = share / (1 - share)";

static void say(struct swi_judge *judge, const struct swi_period *period, double cost)
{
    struct swi_slow_part part = swi_slow_part_of(judge, period->at, period->count);
    double share = cost / judge->total, each = cost / (double)period->count;
    struct swi_draft said = {.id = "periodic",
                             .formula = formula,
                             .level = share >= MEDIUM ? SW_FINDING_MEDIUM : SW_FINDING_NOTE,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text, "Every %s step takes %s longer",
                    swi_word_ordinal(period->every).text, swi_word_time(each).text);
    swi_slow_part_put(&said.text, judge, &part);
    swi_text_format(&said.text, ": %s of the training time. Without that, the loop would do ",
                    swi_word_percent(share).text);
    swi_faster(&said.text, judge, said.gain);
    swi_text_put(&said.text, ".");
    swi_text_format(&said.next,
                    "Look for what is done every %" PRId64 " steps: logging, a "
                    "checkpoint, an evaluation, collecting garbage. Do it more rarely, "
                    "or on another thread.",
                    period->every);
    swi_draft_period(&said, share, period->every, each, period->count);
    swi_draft_text(&said, "action", part.action);
    swi_find(judge, &said);
}

static void period_judge(struct swi_judge *judge, const struct swi_period *period)
{
    const struct swi_places *slow = &judge->slow_batches;
    double cost = swi_period_cost(period, slow);
    bool found = period->every && cost / judge->total >= SHARE_LEAST;
    if (found && judge->contended && swi_one_at_a_time(judge, period->at, period->count)) {
        swi_check(judge, "periodic", SWI_RULE_NONE,
                  "about every %s step is slow, but in any action: see interrupted",
                  swi_word_ordinal(period->every).text);
    } else if (found) {
        swi_judge_explain(judge, period->at, period->count);
        say(judge, period, cost);
    } else {
        swi_check(judge, "periodic", SWI_RULE_NONE, "%zu slow batch%s cost%s %s", slow->count,
                  slow->count == 1 ? "" : "es", slow->count == 1 ? "s" : "",
                  swi_word_percent(slow->cost / judge->total).text);
    }
}

static void periodic(struct swi_judge *judge)
{
    struct swi_period period = {0};
    if (swi_period_find(&period, &judge->slow_batches, judge->number, judge->within, judge->n))
        period_judge(judge, &period);
    else
        judge->failed = true;
    swi_period_fini(&period);
}

const struct swi_rule swi_rule_periodic = {"periodic", SWI_NEEDS_STEPS, periodic};
