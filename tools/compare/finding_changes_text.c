/* SPDX-License-Identifier: MIT */
#include "tools/compare/finding_changes_text.h"

#include "core/text/number.h"
#include "tools/output/paragraph.h"
#include "tools/output/text.h"

#include <stdio.h>

static void put_percent(double gain)
{
    struct swi_text text = {0};
    if (gain >= 0.0995)
        swi_number_rate(&text, 100 * gain);
    else
        swi_number_fixed(&text, 100 * gain, 1);
    printf("%s %%", text.data ? text.data : "");
    swi_text_free(&text);
}

/* Prints how much faster each run that has it would be without it. */
static void put_effects(const struct finding_change *change)
{
    const struct sw_finding *a = change->a.finding, *b = change->b.finding;
    bool in_a = a && a->gain > 0, in_b = b && b->gain > 0;
    if (!in_a && !in_b)
        return;
    printf(": %s would be ", in_a ? "A" : "B");
    put_percent(in_a ? a->gain : b->gain);
    printf(" faster without it");
    if (!in_a || !in_b)
        return;
    printf(", B ");
    put_percent(b->gain);
}

/* Prints what the other run has instead. */
static void put_why(const char *name, const struct finding_side *side)
{
    if (!side->finding && side->checked && side->checked->why)
        paragraph_put(PARAGRAPH_INDENT, name, side->checked->why);
}

static void put_change(const struct finding_change *change)
{
    const struct sw_finding *finding = change->b.finding ? change->b.finding : change->a.finding;
    printf("%-10s", finding_changed_name(change->changed));
    text_shown(stdout, change->id, 0);
    put_effects(change);
    putchar('\n');
    paragraph_put(PARAGRAPH_INDENT, change->b.finding ? "" : "In A: ", finding->text);
    put_why("In A: ", &change->a);
    put_why("In B: ", &change->b);
    if (change->b.finding)
        paragraph_put(PARAGRAPH_INDENT, "Try: ", finding->next);
}

void finding_changes_print(const struct finding_changes *changes)
{
    bool any = false;
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->change[i].changed == FINDING_STAYED)
            continue;
        fputs(any ? "" : "\nWhat changed:\n", stdout);
        any = true;
        put_change(&changes->change[i]);
    }
}
