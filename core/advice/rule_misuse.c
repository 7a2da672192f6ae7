/* SPDX-License-Identifier: MIT */
/* misuse: wrong calls, so the report may be wrong. */
#include "core/advice/rules.h"

static const char formula[] = "calls that did not fit >= 1";

static void misuse(struct swi_analysis *analysis)
{
    int64_t count = analysis->fit->misuses;
    struct swi_draft said = {.id = "misuse", .formula = formula, .level = SW_FINDING_HIGH};
    if (!analysis->fit->counted || count <= 0)
        return;
    swi_text_format(&said.text,
                    "%s call%s did not fit, such as an end without a begin or a second "
                    "begin, so rows of the report may be wrong.",
                    swi_word_rate((double)count).text, count == 1 ? "" : "s");
    swi_text_put(&said.next, "Look at standard error: the first of these calls was reported there, "
                             "with what was wrong.");
    swi_draft_count(&said, "count", count);
    swi_find(analysis, &said);
}

const struct swi_rule swi_rule_misuse = {NULL, SWI_NEEDS_RUN, misuse};
