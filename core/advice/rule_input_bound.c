/* SPDX-License-Identifier: MIT */
/* input-bound: training waits for its data. With a GPU, draw may be where the loop waits for the
 * GPU, which durations cannot show. Then it is only a note. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"
#include "core/advice/finding_draft.h"
#include "core/advice/number_words.h"

#define SHARE_LEAST 0.10   /* the lower bound of its 99 % interval */
#define TYPICAL_LEAST 0.05 /* of the median step; otherwise only a few draws are slow */
#define NEAR 0.05
#define HIGH 0.20

static const char formula[] =
    "sum of draw / sum of draw + batch: lower 99 % bound >= 10 %, and the median of the steps' "
    "shares >= 5 %; gain = share / (1 - share)";

static void say(struct swi_judge *judge, const struct swi_share *share, double typical)
{
    bool gpu = judge->fit->gpu && *judge->fit->gpu;
    struct swi_draft said = {.id = "input-bound",
                             .formula = formula,
                             .level =
                                 share->share >= HIGH && !gpu ? SW_FINDING_HIGH : SW_FINDING_MEDIUM,
                             .gain = swi_gain_of(share->share)};
    swi_text_format(&said.text, "Training waits for data: draw takes %s of a step",
                    swi_word_percent(share->share).text);
    swi_newest(&said.text, judge);
    swi_text_put(&said.text, ". If draw took no time, the loop would do ");
    swi_faster(&said.text, judge, said.gain);
    swi_text_put(&said.text, ".");
    if (gpu)
        swi_text_put(&said.text, " The program uses a GPU: if draw waits for the GPU, this time is "
                                 "not loading.");
    swi_text_put(&said.next, "Load and prepare data ahead on other threads, or on more of them. "
                             "Store it decoded. Move work from the loader to the start of the run. "
                             "On a GPU, first make sure that draw is not where the loop waits for "
                             "the GPU: synchronize before draw begins and look again.");
    swi_draft_number(&said, "share", share->share);
    swi_draft_number(&said, "low", share->low);
    swi_draft_number(&said, "high", share->high);
    swi_draft_number(&said, "share_typical", typical);
    swi_find(judge, &said);
}

static double typical_share(struct swi_judge *judge)
{
    for (size_t i = 0; i < judge->n; i++)
        judge->whole[i] = judge->s[i] > 0 ? judge->draw[i] / judge->s[i] : 0;
    return swi_sample_median(judge->whole, judge->n, judge->scratch);
}

static void input_bound(struct swi_judge *judge)
{
    struct swi_share share = swi_share_of(judge->draw, judge->s, judge->n);
    double typical = typical_share(judge);
    if (share.low >= SHARE_LEAST && typical >= TYPICAL_LEAST)
        say(judge, &share, typical);
    else
        swi_check(judge, "input-bound", share.share >= NEAR ? SWI_RULE_NEAR : SWI_RULE_NONE,
                  "draw takes %s of a step", swi_word_percent(share.share).text);
}

const struct swi_rule swi_rule_input_bound = {"input-bound", SWI_NEEDS_CALM, input_bound};
