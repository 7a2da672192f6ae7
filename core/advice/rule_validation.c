/* SPDX-License-Identifier: MIT */
/* validation: it takes a large part of the run. */
#include "core/advice/rules.h"

#define SHARE_LEAST 0.30

static const char formula[] = "valid / fit >= 30 %; gain = (share / 2) / (1 - share / 2)";

static void say(struct swi_analysis *analysis, double share)
{
    struct swi_draft said = {.id = "validation",
                             .formula = formula,
                             .level = SW_FINDING_NOTE,
                             .gain = (share / 2) / (1 - share / 2)};
    swi_text_format(&said.text,
                    "Validation takes %s of the run. Half as often, the run would be %s "
                    "shorter and do ",
                    swi_word_percent(share).text, swi_word_percent(share / 2).text);
    swi_faster_run(&said.text, analysis, analysis->fit->fit_ns, said.gain);
    swi_text_put(&said.next, "Validate more rarely, on fewer samples, or with larger batches: no "
                             "gradients have to be kept.");
    swi_draft_number(&said, "share", share);
    swi_find(analysis, &said);
}

static void validation(struct swi_analysis *analysis)
{
    const struct swi_advised *fit = analysis->fit;
    if (fit->fit_ns <= 0)
        return;
    double share = fit->valid_ns / fit->fit_ns;
    if (share >= SHARE_LEAST)
        say(analysis, share);
    else
        swi_check(analysis, "validation", SWI_RULE_NONE, "validation takes %s of the run",
                  swi_word_percent(share).text);
}

const struct swi_rule swi_rule_validation = {NULL, SWI_NEEDS_RUN, validation};
