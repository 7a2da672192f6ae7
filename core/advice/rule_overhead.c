/* SPDX-License-Identifier: MIT */
/* overhead: stepwatch's own calls take a noticeable part of the run. */
#include "core/advice/rules.h"

#include <math.h>

#define SHARE_LEAST 0.02
#define SHARE_MOST 0.9 /* of which a gain can be told */

static const char formula[] = "own_ns / fit_ns >= 2 %; gain = share / (1 - share)";

static void say(struct swi_analysis *analysis, double share)
{
    struct swi_draft said = {.id = "overhead",
                             .formula = formula,
                             .level = SW_FINDING_MEDIUM,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text, "stepwatch itself takes %s of the run.",
                    swi_word_percent(share).text);
    if (share <= SHARE_MOST) {
        swi_text_put(&said.text, " Without it, the run would do ");
        swi_faster_run(&said.text, analysis, analysis->fit->fit_ns, said.gain);
    }
    swi_text_put(&said.next, analysis->fit->throughput
                                 ? "Measure less: leave out regions of a few nanoseconds, or put "
                                   "several steps into one batch."
                                 : "Measure less: use `mode: throughput`, which measures draw and "
                                   "batch only, or leave out regions of a few nanoseconds.");
    swi_draft_number(&said, "share", share);
    swi_find(analysis, &said);
}

static void overhead(struct swi_analysis *analysis)
{
    const struct swi_advised *fit = analysis->fit;
    double share = fit->fit_ns > 0 ? fmin(fit->own_ns / fit->fit_ns, 1) : 0;
    if (!fit->counted)
        swi_check(analysis, "overhead", SWI_RULE_ABSTAINED, "the log has no report");
    else if (isnan(fit->own_ns))
        swi_check(analysis, "overhead", SWI_RULE_ABSTAINED,
                  "the log does not say what stepwatch took");
    else if (share >= SHARE_LEAST)
        say(analysis, share);
    else
        swi_check(analysis, "overhead", SWI_RULE_NONE, "stepwatch takes %s of the run",
                  swi_word_percent(share).text);
}

const struct swi_rule swi_rule_overhead = {"overhead", SWI_NEEDS_RUN, overhead};
