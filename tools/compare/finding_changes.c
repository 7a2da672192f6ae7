/* SPDX-License-Identifier: MIT */
#include "tools/compare/comparison.h"

#include "core/text/vec.h"

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

static struct sw_finding *finding_of(const struct swi_advice *advice, const char *id)
{
    for (size_t i = 0; i < advice->count; i++)
        if (strcmp(advice->finding[i].id, id) == 0)
            return &advice->finding[i];
    return NULL;
}

static const struct swi_checked *checked_of(const struct swi_advice *advice, const char *id)
{
    for (size_t i = 0; i < advice->checked_count; i++)
        if (strcmp(advice->checked[i].id, id) == 0)
            return &advice->checked[i];
    return NULL;
}

static bool finding_join(struct swi_advice *advice, struct sw_finding *other)
{
    struct sw_finding *held = finding_of(advice, other->id), before = {0};
    if (held && !(other->gain > held->gain))
        return true;
    if (!held && !swi_vec_room(&advice->finding, advice->count, sizeof *advice->finding))
        return false;
    before = held ? *held : before;
    held = held ? held : &advice->finding[advice->count++];
    *held = *other;
    *other = before;
    return true;
}

static bool checked_join(struct swi_advice *advice, struct swi_checked *other)
{
    if (checked_of(advice, other->id))
        return true;
    if (!swi_vec_room(&advice->checked, advice->checked_count, sizeof *advice->checked))
        return false;
    advice->checked[advice->checked_count++] = *other;
    other->why = NULL;
    return true;
}

bool findings_join(struct swi_advice *advice, struct swi_advice *other)
{
    bool fine = true;
    for (size_t i = 0; fine && i < other->count; i++)
        fine = finding_join(advice, &other->finding[i]);
    for (size_t i = 0; fine && i < other->checked_count; i++)
        fine = checked_join(advice, &other->checked[i]);
    return fine;
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

static struct finding_side side_of(const struct swi_advice *advice, const char *id)
{
    return (struct finding_side){finding_of(advice, id), checked_of(advice, id)};
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

int finding_changes_make(struct finding_changes *changes, const struct swi_advice *a,
                         const struct swi_advice *b, struct sw_error *err)
{
    *changes = (struct finding_changes){.a = a, .b = b};
    changes->change = calloc(a->count + b->count + 1, sizeof *changes->change);
    if (!changes->change)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the findings");
    for (size_t i = 0; i < a->count; i++)
        id_take(changes, a->finding[i].id);
    for (size_t i = 0; i < b->count; i++)
        id_take(changes, b->finding[i].id);
    qsort(changes->change, changes->count, sizeof *changes->change, by_effect);
    return 0;
}

void finding_changes_free(struct finding_changes *changes)
{
    free(changes->change);
    *changes = (struct finding_changes){0};
}
