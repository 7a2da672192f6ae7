/* SPDX-License-Identifier: MIT */
/* launches-only: forward takes almost no time and something after it nearly all, as if forward and
 * backward only started work that is waited for later. Then the parts mean little. */
#include "core/advice/rules.h"
#include "core/advice/analysis.h"

#include <string.h>

#define FORWARD_MOST 0.05
#define LATE_LEAST 0.60

/* Where the loop waits; "": in none of the actions. */
struct late {
    const char *action;
    double share;
};

static const char formula[] =
    "forward <= 5 % of a batch, forward and backward <= 40 %, and one other action >= 60 %";

static bool may_wait(const struct swi_analysed_action *action)
{
    static const char *const names[] = {"loss", "opt_step", "zero_grad"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], action->name) == 0)
            return true;
    return !action->standard && !action->shared;
}

static struct late late_find(const struct swi_analysis *analysis,
                             const struct swi_batch_parts *parts)
{
    struct late late = {NULL, -1};
    for (size_t a = 0; a < analysis->actions; a++) {
        double share = analysis->action[a].sum / parts->total;
        if (may_wait(&analysis->action[a]) && share > late.share)
            late = (struct late){analysis->action[a].name, share};
    }
    if (!parts->own && parts->rest > 0 && parts->rest > late.share)
        late = (struct late){"", parts->rest};
    return late;
}

static void say(struct swi_analysis *analysis, const struct swi_batch_parts *parts,
                const struct late *late)
{
    struct swi_draft said = {.id = "launches-only", .formula = formula, .level = SW_FINDING_NOTE};
    swi_text_format(&said.text,
                    "forward takes only %s of a batch, %s %s: it looks as if the work "
                    "ran asynchronously and the loop waited for it there. The parts of "
                    "a step then say little; the whole step is right.",
                    swi_word_percent(parts->forward).text,
                    *late->action ? late->action : "time outside of the measured actions",
                    swi_word_percent(late->share).text);
    swi_text_put(&said.next,
                 "Synchronize with the GPU at the end of each region while you look for "
                 "the slow one, not in production. If everything runs on the CPU, "
                 "ignore this.");
    swi_draft_text(&said, "action", late->action);
    swi_draft_number(&said, "share", late->share);
    swi_find(analysis, &said);
}

static void launches_only(struct swi_analysis *analysis)
{
    const struct swi_batch_parts *parts = swi_batch_parts_of(analysis);
    if (!parts->known)
        return;
    struct late late = late_find(analysis, parts);
    if (!late.action || parts->forward > FORWARD_MOST || late.share < LATE_LEAST ||
        parts->forward + parts->backward > 1 - LATE_LEAST)
        return;
    analysis->asynchronous = true;
    say(analysis, parts, &late);
}

const struct swi_rule swi_rule_launches_only = {NULL, SWI_NEEDS_CALM, launches_only};
