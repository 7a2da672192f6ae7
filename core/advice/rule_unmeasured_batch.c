/* SPDX-License-Identifier: MIT */
/* unmeasured-batch: much of a batch is in none of the standard actions, and there are no others. */
#include "core/advice/rules.h"
#include "core/advice/analysis.h"

#define SHARE_LEAST 0.25

static const char formula[] =
    "median share of a batch in none of the actions >= 25 %; gain = part of a step / (1 - part)";

static void unmeasured_batch(struct swi_analysis *analysis)
{
    const struct swi_batch_parts *parts = swi_batch_parts_of(analysis);
    if (!parts->known || parts->own || analysis->asynchronous || parts->rest < SHARE_LEAST)
        return;
    struct swi_draft said = {.id = "unmeasured-batch",
                             .formula = formula,
                             .level = SW_FINDING_NOTE,
                             .gain = swi_gain_of(parts->rest * parts->total / analysis->total)};
    swi_text_format(&said.text,
                    "%s of a batch is in none of the measured actions. Without that, "
                    "the loop would do ",
                    swi_word_percent(parts->rest).text);
    swi_faster(&said.text, analysis, said.gain);
    swi_text_put(&said.next, "Put regions of your own around what happens between the actions.");
    swi_draft_number(&said, "share", parts->rest);
    swi_find(analysis, &said);
}

const struct swi_rule swi_rule_unmeasured_batch = {NULL, SWI_NEEDS_CALM, unmeasured_batch};
