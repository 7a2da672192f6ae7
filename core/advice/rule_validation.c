/* SPDX-License-Identifier: MIT */
/* validation: it takes a large part of the run. */
#include "core/advice/rules.h"
#include "core/advice/finding_draft.h"
#include "core/advice/number_words.h"

#define SHARE_LEAST 0.30

static const char formula[] = "valid / fit >= 30 %; gain = (share / 2) / (1 - share / 2)";

static void say(struct swi_judge *judge, double share)
{
    struct swi_draft said = {.id = "validation",
                             .formula = formula,
                             .level = SW_FINDING_NOTE,
                             .gain = (share / 2) / (1 - share / 2)};
    swi_text_format(&said.text,
                    "Validation takes %s of the run. Half as often, the run would be %s "
                    "shorter and do ",
                    swi_word_percent(share).text, swi_word_percent(share / 2).text);
    swi_faster_run(&said.text, judge, said.gain);
    swi_text_put(&said.text, ".");
    swi_text_put(&said.next, "Validate more rarely, on fewer samples, or with larger batches: no "
                             "gradients have to be kept.");
    swi_draft_number(&said, "share", share);
    swi_find(judge, &said);
}

static void validation(struct swi_judge *judge)
{
    const struct swi_advised *fit = judge->fit;
    if (fit->fit_ns <= 0)
        return;
    double share = fit->valid_ns / fit->fit_ns;
    if (share >= SHARE_LEAST)
        say(judge, share);
    else
        swi_check(judge, "validation", SWI_RULE_NONE, "validation takes %s of the run",
                  swi_word_percent(share).text);
}

const struct swi_rule swi_rule_validation = {NULL, SWI_NEEDS_RUN, validation};
