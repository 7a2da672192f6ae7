/* SPDX-License-Identifier: MIT */
/* never-ended: regions that are often begun and never ended. A draw that is cancelled once per
 * epoch is fine. */
#include "core/advice/rules.h"

#define A_STEP_LEAST 0.25
enum { COUNT_LEAST = 4 };

static const char formula[] = "regions discarded >= 4, and >= 0.25 a step";

static void never_ended(struct swi_analysis *analysis)
{
    const struct swi_advised *fit = analysis->fit;
    double count = (double)fit->discarded, steps = (double)fit->all_steps;
    struct swi_draft said = {.id = "never-ended", .formula = formula, .level = SW_FINDING_HIGH};
    if (!fit->counted || steps <= 0 || count < COUNT_LEAST || count < A_STEP_LEAST * steps)
        return;
    swi_text_format(&said.text, "%s regions were begun and never ended, about ",
                    swi_word_rate(count).text);
    swi_text_format(&said.text, "%s a step: they are in no row.",
                    swi_word_tenths(count / steps).text);
    swi_text_put(&said.next,
                 "Look for a begin without an end, often in a branch that leaves early. "
                 "SW_SCOPE() ends a region by itself.");
    swi_draft_count(&said, "count", fit->discarded);
    swi_find(analysis, &said);
}

const struct swi_rule swi_rule_never_ended = {NULL, SWI_NEEDS_RUN, never_ended};
