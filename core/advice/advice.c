/* SPDX-License-Identifier: MIT */
/* Copies findings. The evidence of each, with all names and steps, is one block of memory, as
 * swi_advice_free() expects it. */
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

static size_t room_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *words_of(const struct sw_evidence *evidence)
{
    return evidence->kind == SW_EVIDENCE_TEXT ? evidence->text : NULL;
}

static size_t steps_of(const struct sw_evidence *evidence)
{
    bool steps = evidence->kind == SW_EVIDENCE_STEPS && evidence->count > 0 && evidence->step;
    return steps ? (size_t)evidence->count : 0;
}

/* Where the next steps and the next text of the evidence go. */
struct evidence_room {
    int64_t *steps;
    char *texts;
};

static struct sw_evidence *room_new(const struct sw_finding *finding, struct evidence_room *room)
{
    size_t steps = 0, texts = room_of(finding->id) + room_of(finding->formula);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        steps += steps_of(evidence);
        texts += room_of(evidence->name) + room_of(words_of(evidence));
    }
    size_t list = (finding->evidence_count + 1) * sizeof(struct sw_evidence);
    char *memory = calloc(1, list + steps * sizeof *room->steps + texts);
    if (!memory)
        return NULL;
    room->steps = (int64_t *)(void *)(memory + list);
    room->texts = (char *)(room->steps + steps);
    return (struct sw_evidence *)(void *)memory;
}

static const char *text_take(struct evidence_room *room, const char *text)
{
    char *copy = room->texts;
    if (!text)
        return NULL;
    memcpy(copy, text, room_of(text));
    room->texts += room_of(text);
    return copy;
}

static struct sw_evidence evidence_take(struct evidence_room *room, const struct sw_evidence *from)
{
    struct sw_evidence to = {.name = text_take(room, from->name),
                             .kind = from->kind,
                             .number = from->number,
                             .count = from->count};
    to.text = text_take(room, words_of(from));
    if (from->kind != SW_EVIDENCE_STEPS)
        return to;
    to.count = (int64_t)steps_of(from);
    to.step = room->steps;
    for (size_t i = 0; i < steps_of(from); i++)
        *room->steps++ = from->step[i];
    return to;
}

static bool finding_copy(struct sw_finding *to, const struct sw_finding *from)
{
    struct evidence_room room = {0};
    struct sw_evidence *evidence = room_new(from, &room);
    *to = (struct sw_finding){.level = from->level,
                              .gain = from->gain,
                              .text = strdup(from->text ? from->text : ""),
                              .next = strdup(from->next ? from->next : ""),
                              .evidence_size = sizeof *evidence,
                              .evidence = evidence};
    if (!evidence || !to->text || !to->next)
        return false;
    to->id = text_take(&room, from->id);
    to->formula = text_take(&room, from->formula);
    for (; to->evidence_count < from->evidence_count; to->evidence_count++)
        evidence[to->evidence_count] =
            evidence_take(&room, sw_finding_evidence(from, to->evidence_count));
    return true;
}

bool swi_advice_copy(struct swi_advice *advice, const struct sw_finding *finding, size_t count,
                     size_t stride)
{
    *advice = (struct swi_advice){.finding = calloc(count + 1, sizeof *advice->finding)};
    bool fine = advice->finding != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        const void *from = (const char *)finding + i * stride;
        fine = finding_copy(&advice->finding[advice->count++], from);
    }
    return fine;
}
