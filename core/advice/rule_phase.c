/* SPDX-License-Identifier: MIT */
/* phase: an action that takes an unusually large part of a batch. The lower bound of its share must
 * exceed the limit. It is normal that backward takes 60 %. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"
#include "core/advice/analysis.h"

#include <string.h>

#define OWN_LEAST 0.30

static const char formula[] =
    "sum of the action / sum of batch: lower 99 % bound >= its limit (loss 25 %, opt_step 30 %, "
    "zero_grad 10 %, forward 80 %, backward 85 %, your own 30 %); gain = 1 / (1 - part of a step "
    "/ 2) - 1";

/* Returns the share of a batch from which on an action is reported; 0: never. */
static double limit_of(const struct swi_analysed_action *action)
{
    static const struct {
        const char *name;
        double limit;
    } limits[] = {{"loss", 0.25},
                  {"opt_step", 0.30},
                  {"zero_grad", 0.10},
                  {"forward", 0.80},
                  {"backward", 0.85}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].name, action->name) == 0)
            return limits[i].limit;
    return action->standard ? 0 : OWN_LEAST;
}

static void say(struct swi_analysis *analysis, const struct swi_analysed_action *action,
                const struct swi_share *share, double total)
{
    double part = share->share * total / analysis->total, gain = 1 / (1 - part / 2) - 1;
    struct swi_draft said = {
        .id = "phase", .formula = formula, .level = SW_FINDING_NOTE, .gain = gain};
    swi_text_format(&said.text,
                    "%s takes %s of a batch. If it were twice as fast, the loop would "
                    "do ",
                    action->name, swi_word_percent(share->share).text);
    swi_faster(&said.text, analysis, gain);
    swi_text_format(&said.next, "Begin with %s: most of the time goes there.", action->name);
    swi_draft_text(&said, "action", action->name);
    swi_draft_number(&said, "share", share->share);
    swi_draft_number(&said, "low", share->low);
    swi_find(analysis, &said);
}

/* Returns the largest action below `below`, the first by name of equal ones; NULL if none is left.
 * last: the one before, of equal share. */
static const struct swi_analysed_action *next_of(const struct swi_analysis *analysis,
                                                 const struct swi_analysed_action *last)
{
    const struct swi_analysed_action *best = NULL;
    for (size_t a = 0; a < analysis->actions; a++) {
        const struct swi_analysed_action *action = &analysis->action[a];
        bool after =
            !last || action->sum < last->sum || (action->sum == last->sum && action > last);
        if (after && !action->shared && (!best || action->sum > best->sum))
            best = action;
    }
    return best;
}

static bool is_too_large(const struct swi_analysis *analysis,
                         const struct swi_analysed_action *action, struct swi_share *share,
                         double total)
{
    double limit = limit_of(action);
    if (limit <= 0 || action->sum / total < limit)
        return false;
    *share = swi_share_of(action->ns, analysis->batch, analysis->n);
    return share->low >= limit;
}

static void phase(struct swi_analysis *analysis)
{
    const struct swi_batch_parts *parts = swi_batch_parts_of(analysis);
    const struct swi_analysed_action *largest = next_of(analysis, NULL);
    struct swi_share share;
    if (!parts->known || !largest) {
        swi_check(analysis, "phase", SWI_RULE_ABSTAINED, "only draw and batch are measured");
        return;
    }
    if (analysis->asynchronous)
        return;
    for (const struct swi_analysed_action *action = largest; action;
         action = next_of(analysis, action)) {
        if (!is_too_large(analysis, action, &share, parts->total))
            continue;
        say(analysis, action, &share, parts->total);
        return;
    }
    swi_check(analysis, "phase", SWI_RULE_NONE, "most of a batch is %s, %s", largest->name,
              swi_word_percent(largest->sum / parts->total).text);
}

const struct swi_rule swi_rule_phase = {"phase", SWI_NEEDS_CALM, phase};
