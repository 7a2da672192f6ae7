/* SPDX-License-Identifier: MIT */
/* warm-up: the first steps take longer than later ones. The judge finds which. */
#include "core/advice/rules.h"

#include <math.h>

#define SHARE_LEAST 0.05
#define COST_NS_LEAST 1e9

static const char formula[] =
    "medians of 3 steps > 1.5 x and > 4 deviations above the median of the last 3/4: what they "
    "take longer is >= 5 % of training and >= 1 s; gain = cost / (training - cost)";

static void say(struct swi_analysis *analysis)
{
    double cost = analysis->warm_cost, total = analysis->warm_total, gain = cost / (total - cost);
    struct swi_draft said = {
        .id = "warm-up", .formula = formula, .level = SW_FINDING_NOTE, .gain = gain};
    if (analysis->warm == 1)
        swi_text_put(&said.text, "The first step");
    else
        swi_text_format(&said.text, "The first %zu steps", analysis->warm);
    swi_text_format(&said.text,
                    " took %s longer than later ones: %s of the training time of this "
                    "run, and less of a longer run. Without that, training would do ",
                    swi_word_time(cost).text, swi_word_percent(cost / total).text);
    swi_faster_run(&said.text, analysis, total, gain);
    swi_text_put(&said.next, "Nothing, if runs are long. Otherwise cache what is compiled or tuned "
                             "at the start, start the loader before the first step, and touch "
                             "memory before it.");
    swi_draft_count(&said, "steps", (int64_t)analysis->warm);
    swi_draft_number(&said, "cost_ns", cost);
    swi_draft_number(&said, "share", cost / total);
    swi_find(analysis, &said);
}

static void warm_up(struct swi_analysis *analysis)
{
    double cost = analysis->warm_cost;
    if (analysis->fit->older)
        swi_check(analysis, "warm-up", SWI_RULE_ABSTAINED,
                  "the first steps are not known any more");
    else if (analysis->warm && cost >= SHARE_LEAST * analysis->warm_total && cost >= COST_NS_LEAST)
        say(analysis);
    else
        swi_check(analysis, "warm-up", SWI_RULE_NONE, "%zu slow step%s at the start cost%s %s",
                  analysis->warm, analysis->warm == 1 ? "" : "s", analysis->warm == 1 ? "s" : "",
                  swi_word_time(fmax(0, cost)).text);
}

const struct swi_rule swi_rule_warm_up = {"warm-up", SWI_NEEDS_STEPS, warm_up};
