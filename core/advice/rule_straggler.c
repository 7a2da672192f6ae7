/* SPDX-License-Identifier: MIT */
/* straggler: a rank or a node that keeps the others waiting. core/stragglers/ finds and describes
 * it.
 */
#include "core/advice/rules.h"

#include <math.h>

#define HIGH 0.20 /* of the time of all ranks is lost */
#define MEDIUM 0.05

static const char formula[] =
    "the ranks' work before they wait for each other, in each step: the same rank or node is the "
    "last, or its work explains the waits of the others; gain = saved / (1 - saved)";

static enum sw_finding_level level_of(double saved)
{
    return saved >= HIGH ? SW_FINDING_HIGH : saved >= MEDIUM ? SW_FINDING_MEDIUM : SW_FINDING_NOTE;
}

static void say(struct swi_analysis *analysis, const struct swi_advised_ranks *ranks)
{
    struct swi_draft said = {.id = "straggler",
                             .formula = formula,
                             .level = level_of(ranks->saved),
                             .gain = swi_gain_of(ranks->saved)};
    swi_text_put(&said.text, ranks->sentence);
    swi_text_put(&said.next, "Look at what is different on that rank or node: its data, the load, "
                             "the clock rate of its processors, its disk or network. If it is "
                             "always another one, balance the work.");
    swi_draft_text(&said, "verdict", ranks->verdict);
    if (ranks->rank >= 0)
        swi_draft_count(&said, "rank", ranks->rank);
    if (ranks->host)
        swi_draft_text(&said, "host", ranks->host);
    swi_draft_text(&said, "action", ranks->action ? ranks->action : "");
    swi_draft_number(&said, "late_ns", ranks->late_ns);
    swi_draft_number(&said, "share", ranks->saved);
    swi_draft_number(&said, "confidence", ranks->confidence);
    swi_find(analysis, &said);
}

static void straggler(struct swi_analysis *analysis)
{
    const struct swi_advised_ranks *ranks = analysis->fit->ranks;
    if (ranks && isfinite(ranks->saved))
        say(analysis, ranks);
    else if (ranks)
        swi_check(analysis, "straggler", SWI_RULE_NONE, "%s", ranks->sentence);
}

const struct swi_rule swi_rule_straggler = {NULL, SWI_NEEDS_RUN, straggler};
