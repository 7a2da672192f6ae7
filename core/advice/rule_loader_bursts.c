/* SPDX-License-Identifier: MIT */
/* loader-bursts: most draws find their data ready, but some wait long, with a period, which is
 * usually the number of the loader's threads, or irregularly. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"

#include <inttypes.h>

#define SHARE_LEAST 0.05
#define HIGH 0.20
enum { IRREGULAR_LEAST = 8 }; /* draws without a period */

static const char formula[] =
    "draws > 6 deviations and > 1/4 step above their neighbours, at a period (p < 0.0001) or at "
    "least 8: what they take longer is >= 5 % of training; gain = share / (1 - share)";

static void say_period(struct swi_analysis *analysis, const struct swi_period *period, double cost)
{
    double share = cost / analysis->total, each = cost / (double)period->count;
    struct swi_draft said = {.id = "loader-bursts",
                             .formula = formula,
                             .level = share >= HIGH ? SW_FINDING_HIGH : SW_FINDING_MEDIUM,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text,
                    "Every %s draw takes %s longer than the others: the loader is too "
                    "slow, and its threads deliver in bursts. Without that, the loop "
                    "would do ",
                    swi_word_ordinal(period->every).text, swi_word_time(each).text);
    swi_faster(&said.text, analysis, said.gain);
    swi_text_format(&said.next,
                    "Use more loader threads, or give each less work: %" PRId64
                    " of them share it now, if each makes one batch at a time. A longer "
                    "queue does not help.",
                    period->every);
    swi_draft_period(&said, share, period->every, each, period->count);
    swi_find(analysis, &said);
}

static void say_irregular(struct swi_analysis *analysis)
{
    const struct swi_places *slow = &analysis->slow_draws;
    double share = slow->cost / analysis->total;
    struct swi_draft said = {.id = "loader-bursts",
                             .formula = formula,
                             .level = SW_FINDING_MEDIUM,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text,
                    "%zu of %s draws wait for data, %s each; the others hardly wait. "
                    "Without that, the loop would do ",
                    slow->count, swi_word_rate((double)analysis->n).text,
                    swi_word_time(slow->cost / (double)slow->count).text);
    swi_faster(&said.text, analysis, said.gain);
    swi_text_put(&said.next,
                 "The loader is fast enough most of the time. A longer queue evens this "
                 "out. Look for slow files, at how data is shuffled, and at what else "
                 "uses the disk.");
    swi_draft_number(&said, "share", share);
    swi_draft_count(&said, "period", 0);
    swi_draft_count(&said, "hits", (int64_t)slow->count);
    swi_find(analysis, &said);
    analysis->irregular_bursts = true;
}

static bool is_irregular(const struct swi_analysis *analysis)
{
    const struct swi_places *slow = &analysis->slow_draws;
    return slow->count >= IRREGULAR_LEAST && slow->cost / analysis->total >= SHARE_LEAST &&
           swi_share_of(slow->more, analysis->s, analysis->n).low >= SHARE_LEAST / 2 &&
           !swi_is_found(analysis, "input-bound");
}

static void bursts_check(struct swi_analysis *analysis, const struct swi_period *period)
{
    const struct swi_places *slow = &analysis->slow_draws;
    double cost = swi_period_cost(period, slow);
    if (period->every && cost / analysis->total >= SHARE_LEAST) {
        swi_analysis_explain(analysis, period->at, period->count);
        say_period(analysis, period, cost);
    } else if (analysis->contended) {
        swi_check(analysis, "loader-bursts", SWI_RULE_ABSTAINED,
                  "the processor was taken away: see interrupted");
    } else if (is_irregular(analysis)) {
        swi_analysis_explain(analysis, slow->at, slow->count);
        say_irregular(analysis);
    } else {
        swi_check(analysis, "loader-bursts", SWI_RULE_NONE, "%zu slow draw%s cost%s %s",
                  slow->count, slow->count == 1 ? "" : "s", slow->count == 1 ? "s" : "",
                  swi_word_percent(slow->cost / analysis->total).text);
    }
}

static void loader_bursts(struct swi_analysis *analysis)
{
    struct swi_period period = {0};
    if (swi_is_found(analysis, "epoch-start"))
        return;
    if (swi_period_find(&period, &analysis->slow_draws, analysis))
        bursts_check(analysis, &period);
    else
        analysis->failed = true;
    swi_period_fini(&period);
}

const struct swi_rule swi_rule_loader_bursts = {"loader-bursts", SWI_NEEDS_STEPS, loader_bursts};
