/* SPDX-License-Identifier: MIT */
#include "tools/explain/explained_text.h"

#include "core/text/buffer.h"
#include "core/text/exact_number.h"
#include "core/text/number.h"
#include "tools/output/paragraph.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- findings -------------------------------------------------------------------------------- */

/* Returns whether a name ends with "_ns", which is not printed: "each_ns" is "each". */
static bool is_time(const char *name)
{
    size_t size = strlen(name);
    return size > 3 && strcmp(name + size - 3, "_ns") == 0;
}

static void number_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    static const char *const plain[] = {"z", "confidence"};
    char time[TEXT_NUMBER];
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(evidence->name, plain[i]) == 0) {
            swi_number_short(text, evidence->number, 3);
            return;
        }
    if (is_time(evidence->name)) {
        swi_text_put(text, text_time(time, evidence->number));
        return;
    }
    swi_number_fixed(text, 100 * evidence->number, 1);
    swi_text_put(text, " %");
}

static void value_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    if (evidence->kind == SW_EVIDENCE_NUMBER)
        number_add(text, evidence);
    else if (evidence->kind == SW_EVIDENCE_COUNT)
        swi_number_count(text, evidence->count);
    else if (evidence->kind == SW_EVIDENCE_TEXT)
        swi_text_put(text, *evidence->text ? evidence->text : "-");
    for (int64_t i = 0; evidence->kind == SW_EVIDENCE_STEPS && i < evidence->count; i++)
        swi_text_format(text, "%s%" PRId64, i ? " " : "", evidence->step[i]);
}

static void evidence_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    size_t size = strlen(evidence->name) - (is_time(evidence->name) ? 3 : 0);
    swi_text_put(text, text->size ? ", " : "");
    for (size_t i = 0; i < size; i++)
        swi_text_add(text, evidence->name[i] == '_' ? " " : evidence->name + i, 1);
    if (evidence->kind == SW_EVIDENCE_FLAG)
        return;
    swi_text_put(text, " ");
    value_add(text, evidence);
}

static void put_evidence(const struct sw_finding *finding)
{
    struct swi_text text = {0};
    for (size_t i = 0; i < finding->evidence_count; i++)
        evidence_add(&text, sw_finding_evidence(finding, i));
    if (text.size)
        paragraph_put(PARAGRAPH_INDENT, "Evidence: ", text.data);
    swi_text_free(&text);
}

static void put_finding(const struct sw_finding *finding)
{
    printf("%-7s ", swi_level_name(finding->level));
    text_shown(stdout, finding->id, 0);
    putchar('\n');
    paragraph_put(PARAGRAPH_INDENT, "", finding->text);
    put_evidence(finding);
    paragraph_put(PARAGRAPH_INDENT, "Found by: ", finding->formula);
    paragraph_put(PARAGRAPH_INDENT, "Try: ", finding->next);
}

/* ---- what was looked at ---------------------------------------------------------------------- */

static void put_checked(const struct swi_advice *advice)
{
    bool any = false;
    for (size_t i = 0; i < advice->checked_count; i++) {
        const struct swi_checked *checked = &advice->checked[i];
        if (checked->verdict == SWI_RULE_FOUND)
            continue;
        if (!any)
            puts("Also looked at:");
        any = true;
        printf("%*s%-18s%-11s", PARAGRAPH_INDENT, "", checked->id,
               swi_verdict_name(checked->verdict));
        text_put(checked->why ? checked->why : "", 0);
        putchar('\n');
    }
}

static void put_fit(const struct explained *explained, const struct explained_fit *fit)
{
    char steps[TEXT_NUMBER];
    text_put(explained->replay.path, 0);
    printf(": fit %" PRId64 ", %s step%s of training", fit->number,
           text_count(steps, (double)fit->steps), fit->steps == 1 ? "" : "s");
    if (fit->judged < fit->steps)
        printf(", of which %s are judged", text_count(steps, (double)fit->judged));
    puts(fit->dropped ? ", the first is left out" : "");
    for (size_t i = 0; i < fit->advice.count; i++)
        put_finding(&fit->advice.finding[i]);
    put_checked(&fit->advice);
    puts(fit->advice.count ? "Nothing else stands out." : "Nothing stands out.");
}

void explained_print(const struct explained *explained)
{
    for (size_t i = 0; i < explained->count; i++) {
        if (i)
            putchar('\n');
        put_fit(explained, &explained->fit[i]);
    }
}
