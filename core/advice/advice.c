/* SPDX-License-Identifier: MIT */
#include "core/advice/advice.h"
#include "core/advice/analysis.h"
#include "core/advice/rules.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

const char *swi_verdict_name(enum swi_verdict_on_rule verdict)
{
    static const char *const names[] = {"none", "near", "found", "abstained"};
    return names[verdict];
}

const char *swi_level_name(enum sw_finding_level level)
{
    static const char *const names[] = {"note", "medium", "high"};
    return names[level];
}

/* ---- judging --------------------------------------------------------------------------------- */

static void rule_apply(struct swi_analysis *analysis, const struct swi_rule *rule)
{
    analysis->of_steps = rule->needs != SWI_NEEDS_RUN;
    if (rule->needs == SWI_NEEDS_RUN || (analysis->enough && rule->needs == SWI_NEEDS_STEPS) ||
        (analysis->enough && analysis->calm))
        rule->analysis(analysis);
    else if (rule->id && analysis->enough)
        swi_check(analysis, rule->id, SWI_RULE_ABSTAINED, "steps vary too much");
    else if (rule->id)
        swi_check(analysis, rule->id, SWI_RULE_ABSTAINED, "fewer than %d steps of training",
                  SWI_STEPS_LEAST);
}

/* If the loop waits for a GPU, the place of the wait is not where the time goes, so findings about
 * draw become notes. */
static void hedge(struct swi_analysis *analysis)
{
    for (size_t i = 0; analysis->asynchronous && i < analysis->advice->count; i++) {
        struct sw_finding *finding = &analysis->advice->finding[i];
        if (strcmp(finding->id, "input-bound") != 0 && strcmp(finding->id, "loader-bursts") != 0)
            continue;
        finding->level = SW_FINDING_NOTE;
        ((struct sw_evidence *)finding->evidence)[finding->evidence_count++] =
            (struct sw_evidence){.name = "hedged", .kind = SW_EVIDENCE_FLAG};
    }
}

/* ---- the order ------------------------------------------------------------------------------- */

static bool is_worse(const struct sw_finding *a, const struct sw_finding *b)
{
    if (a->level != b->level)
        return a->level > b->level;
    if (a->gain != b->gain)
        return a->gain > b->gain;
    return strcmp(a->id, b->id) < 0;
}

/* Equal findings stay in order. */
static void sort_findings(struct swi_advice *advice)
{
    for (size_t i = 1; i < advice->count; i++) {
        struct sw_finding moved = advice->finding[i];
        size_t at = i;
        for (; at > 0 && is_worse(&moved, &advice->finding[at - 1]); at--)
            advice->finding[at] = advice->finding[at - 1];
        advice->finding[at] = moved;
    }
}

static void sort_checked(struct swi_advice *advice)
{
    for (size_t i = 1; i < advice->checked_count; i++) {
        struct swi_checked moved = advice->checked[i];
        size_t at = i;
        for (; at > 0 && strcmp(moved.id, advice->checked[at - 1].id) < 0; at--)
            advice->checked[at] = advice->checked[at - 1];
        advice->checked[at] = moved;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool swi_advise(struct swi_advice *advice, const struct swi_advised *fit)
{
    static const struct swi_rule *const rules[] = {
#define RULE_ADDRESS(name) &swi_rule_##name,
        SWI_RULES(RULE_ADDRESS)};
    struct swi_analysis analysis;
    *advice = (struct swi_advice){0};
    bool fine = swi_analysis_init(&analysis, fit, advice);
    for (size_t i = 0; fine && i < sizeof rules / sizeof *rules; i++)
        rule_apply(&analysis, rules[i]);
    hedge(&analysis);
    sort_findings(advice);
    sort_checked(advice);
    fine = fine && !analysis.failed;
    swi_analysis_fini(&analysis);
    return fine;
}

void swi_advice_free(struct swi_advice *advice)
{
    for (size_t i = 0; i < advice->count; i++) {
        free((void *)advice->finding[i].text);
        free((void *)advice->finding[i].next);
        free((void *)advice->finding[i].evidence);
    }
    for (size_t i = 0; i < advice->checked_count; i++)
        free(advice->checked[i].why);
    free(advice->finding);
    free(advice->checked);
    *advice = (struct swi_advice){0};
}

bool swi_advice_copy(struct swi_advice *advice, const struct sw_finding *finding, size_t count,
                     size_t stride)
{
    *advice = (struct swi_advice){.finding = calloc(count + 1, sizeof *advice->finding)};
    bool fine = advice->finding != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        const void *from = (const char *)finding + i * stride;
        fine = swi_finding_copy(&advice->finding[advice->count++], from);
    }
    return fine;
}
