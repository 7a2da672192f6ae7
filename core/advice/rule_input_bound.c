/* SPDX-License-Identifier: MIT */
/* input-bound: training waits for its data. With a GPU, draw may be where the loop waits for the
 * GPU, which durations cannot show. Then it is only a note. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"

#define SHARE_LEAST 0.10   /* the lower bound of its 99 % interval */
#define TYPICAL_LEAST 0.05 /* of the median step; otherwise only a few draws are slow */
#define NEAR 0.05
#define HIGH 0.20

static const char formula[] =
    "sum of draw / sum of draw + batch: lower 99 % bound >= 10 %, and the median of the steps' "
    "shares >= 5 %; gain = share / (1 - share)";

static void say(struct swi_analysis *analysis, const struct swi_share *share, double typical)
{
    bool gpu = analysis->fit->gpu && *analysis->fit->gpu;
    struct swi_draft said = {.id = "input-bound",
                             .formula = formula,
                             .level =
                                 share->share >= HIGH && !gpu ? SW_FINDING_HIGH : SW_FINDING_MEDIUM,
                             .gain = swi_gain_of(share->share)};
    swi_text_format(&said.text, "Training waits for data: draw takes %s of a step",
                    swi_word_percent(share->share).text);
    swi_known_steps(&said.text, analysis);
    swi_text_put(&said.text, ". If draw took no time, the loop would do ");
    swi_faster(&said.text, analysis, said.gain);
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
    swi_find(analysis, &said);
}

static double typical_share(struct swi_analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++)
        analysis->whole[i] = analysis->s[i] > 0 ? analysis->draw[i] / analysis->s[i] : 0;
    return swi_sample_median(analysis->whole, analysis->n, analysis->scratch);
}

static void input_bound(struct swi_analysis *analysis)
{
    struct swi_share share = swi_share_of(analysis->draw, analysis->s, analysis->n);
    double typical = typical_share(analysis);
    if (share.low >= SHARE_LEAST && typical >= TYPICAL_LEAST)
        say(analysis, &share, typical);
    else
        swi_check(analysis, "input-bound", share.share >= NEAR ? SWI_RULE_NEAR : SWI_RULE_NONE,
                  "draw takes %s of a step", swi_word_percent(share.share).text);
}

const struct swi_rule swi_rule_input_bound = {"input-bound", SWI_NEEDS_CALM, input_bound};
