/* SPDX-License-Identifier: MIT */
/* A rule as short as it can be. */
#include "core/advice/rules.h"

static void toy(struct swi_analysis *analysis)
{
    struct swi_draft said = {.id = "toy", .level = SW_FINDING_NOTE, .formula = "always"};
    swi_text_format(&said.text, "Every step is a toy, all %zu of them.", analysis->n);
    swi_text_put(&said.next, "Play.");
    swi_draft_count(&said, "steps", (int64_t)analysis->n);
    swi_find(analysis, &said);
}

const struct swi_rule swi_rule_toy = {"toy", SWI_NEEDS_STEPS, toy};
