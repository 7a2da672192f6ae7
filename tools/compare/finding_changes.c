/* SPDX-License-Identifier: MIT */
#include "tools/compare/comparison.h"

#include <stdlib.h>
#include <string.h>

/* A finding grew if its effect did by a quarter, and by so much of the rate. */
#define GREW_BY 1.25
#define GREW_LEAST 0.02

const char *finding_changed_name(enum finding_changed changed)
{
    static const char *const names[] = {"appeared", "grew", "shrank", "went", "stayed"};
    return names[changed];
}

/* ---- one run --------------------------------------------------------------------------------- */

static void findings_look(struct finding_side *side, const struct swi_advice *advice,
                          const char *id)
{
    for (size_t i = 0; i < advice->count; i++) {
        const struct sw_finding *finding = &advice->finding[i];
        if (strcmp(finding->id, id) == 0 && (!side->finding || finding->gain > side->finding->gain))
            side->finding = finding;
    }
}

static void checked_look(struct finding_side *side, const struct swi_advice *advice, const char *id)
{
    for (size_t i = 0; !side->checked && i < advice->checked_count; i++)
        if (strcmp(advice->checked[i].id, id) == 0)
            side->checked = &advice->checked[i];
}

static struct finding_side side_of(const struct explained *explained, const char *id)
{
    struct finding_side side = {0};
    for (size_t i = 0; i < explained->count; i++) {
        findings_look(&side, &explained->fit[i].advice, id);
        checked_look(&side, &explained->fit[i].advice, id);
    }
    return side;
}

static size_t findings_of(const struct explained *explained)
{
    size_t count = 0;
    for (size_t i = 0; i < explained->count; i++)
        count += explained->fit[i].advice.count;
    return count;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool is_more(double more, double less)
{
    return more >= GREW_BY * less && more - less >= GREW_LEAST;
}

static enum finding_changed changed_of(const struct finding_change *change)
{
    if (!change->a.finding)
        return FINDING_APPEARED;
    if (!change->b.finding)
        return FINDING_WENT;
    if (is_more(change->b.finding->gain, change->a.finding->gain))
        return FINDING_GREW;
    if (is_more(change->a.finding->gain, change->b.finding->gain))
        return FINDING_SHRANK;
    return FINDING_STAYED;
}

static void id_take(struct finding_changes *changes, const char *id)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->change[i].id && strcmp(changes->change[i].id, id) == 0)
            return;
    struct finding_change change = {
        .id = id, .a = side_of(changes->a, id), .b = side_of(changes->b, id)};
    change.changed = changed_of(&change);
    changes->change[changes->count++] = change;
}

static void ids_take(struct finding_changes *changes, const struct explained *explained)
{
    for (size_t i = 0; i < explained->count; i++)
        for (size_t k = 0; k < explained->fit[i].advice.count; k++)
            id_take(changes, explained->fit[i].advice.finding[k].id);
}

static double effect_of(const struct finding_change *change)
{
    return change->b.finding ? change->b.finding->gain : change->a.finding->gain;
}

/* What makes B slower comes first, then what makes it faster, then the rest. */
static int rank(const struct finding_change *change)
{
    static const int ranks[] = {[FINDING_APPEARED] = 0,
                                [FINDING_GREW] = 0,
                                [FINDING_SHRANK] = 1,
                                [FINDING_WENT] = 1,
                                [FINDING_STAYED] = 2};
    return ranks[change->changed];
}

static int by_effect(const void *a, const void *b)
{
    const struct finding_change *x = a, *y = b;
    double more = effect_of(y) - effect_of(x);
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    return more > 0 ? 1 : more < 0 ? -1 : strcmp(x->id, y->id);
}

int finding_changes_make(struct finding_changes *changes, const struct explained *a,
                         const struct explained *b, struct sw_error *err)
{
    size_t most = findings_of(a) + findings_of(b);
    *changes = (struct finding_changes){.a = a, .b = b};
    changes->change = calloc(most + 1, sizeof *changes->change);
    if (!changes->change)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the findings");
    ids_take(changes, a);
    ids_take(changes, b);
    qsort(changes->change, changes->count, sizeof *changes->change, by_effect);
    return 0;
}

void finding_changes_free(struct finding_changes *changes)
{
    free(changes->change);
    *changes = (struct finding_changes){0};
}
