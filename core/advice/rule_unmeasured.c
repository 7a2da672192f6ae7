/* SPDX-License-Identifier: MIT */
/* unmeasured: much of the run is in no region, between steps or outside of them. */
#include "core/advice/rules.h"

#include <math.h>

#define SHARE_LEAST 0.10
#define MEDIUM 0.25
#define NEAR 0.05
#define NS_LEAST 1e8
#define BETWEEN_LEAST 0.5 /* of it */

#define OWN_MOST 0.5 /* of it, by stepwatch itself */

static const char formula[] =
    "fit - what is in draw, batch and your own regions: >= 10 % of fit and >= 100 ms; gain = "
    "share / (1 - share)";

static void say(struct swi_analysis *analysis, double share, double between)
{
    struct swi_draft said = {.id = "unmeasured",
                             .formula = formula,
                             .level = share >= MEDIUM ? SW_FINDING_MEDIUM : SW_FINDING_NOTE,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text,
                    "%s of the run (%s) is in no region, most of it %s. Without that, "
                    "the run would do ",
                    swi_word_percent(share).text, swi_word_time(analysis->fit->other_ns).text,
                    between >= BETWEEN_LEAST * share
                        ? "between steps"
                        : "outside of the steps: before, between or after the epochs");
    swi_faster_run(&said.text, analysis, analysis->fit->fit_ns, said.gain);
    swi_text_put(&said.next, "Put regions of your own around what happens there, such as logging, "
                             "checkpoints, or a scheduler.");
    swi_draft_number(&said, "share", share);
    swi_draft_number(&said, "between_steps", between);
    swi_find(analysis, &said);
}

static void unmeasured(struct swi_analysis *analysis)
{
    const struct swi_advised *fit = analysis->fit;
    if (fit->fit_ns <= 0)
        return;
    double share = fit->other_ns / fit->fit_ns;
    if (fit->own_ns >= OWN_MOST * fit->other_ns && share >= SHARE_LEAST)
        swi_check(analysis, "unmeasured", SWI_RULE_ABSTAINED,
                  "stepwatch itself takes most of it: see overhead");
    else if (share >= SHARE_LEAST && fit->other_ns >= NS_LEAST)
        say(analysis, share, fit->between_ns / fit->fit_ns);
    else
        swi_check(analysis, "unmeasured", share >= NEAR ? SWI_RULE_NEAR : SWI_RULE_NONE,
                  "%s of the run is in no region", swi_word_percent(fmax(0, share)).text);
}

const struct swi_rule swi_rule_unmeasured = {NULL, SWI_NEEDS_RUN, unmeasured};
