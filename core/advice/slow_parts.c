/* SPDX-License-Identifier: MIT */
#include "core/advice/analysis.h"
#include "core/advice/sample_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PART_LEAST 0.5     /* of the excess, to be named */
#define ALIKE_MOST 0.25    /* distance between two divisions of a batch, from 0 to 1 */
#define ALIKE_LARGEST 0.75 /* if one action is nearly all, the comparison is useless */
#define ONE_LEAST 0.8      /* of the excess is in one action */
#define CHANCE_MOST 0.25   /* share of the slow steps, minus the action's share of the time */
enum { STRUCK_LEAST = 5 };

/* ---- by action ------------------------------------------------------------------------------- */

/* Means of the slow steps and of the rest; more: the difference. */
struct slow_part {
    const char *name;
    double usual, more;
};

/* Compares the values at the marked places with the others. */
static struct slow_part part_of(const char *name, const double *x, size_t n, const bool *mark,
                                size_t count)
{
    double slow = 0, usual = 0;
    for (size_t i = 0; i < n; i++)
        *(mark[i] ? &slow : &usual) += x[i];
    usual /= (double)(n - count);
    return (struct slow_part){name, usual, slow / (double)count - usual};
}

/* part[0]: the rest of the batch; then the actions by name; draw is the last. */
static void parts_make(const struct swi_analysis *analysis, const bool *mark, size_t count,
                       const struct slow_part *whole, struct slow_part *part)
{
    size_t actions = analysis->actions;
    part[0] = (struct slow_part){"", whole->usual, whole->more};
    for (size_t a = 0; a < actions; a++)
        part[a + 1] =
            part_of(analysis->action[a].name, analysis->action[a].ns, analysis->n, mark, count);
    part[actions + 1] = part_of("draw", analysis->draw, analysis->n, mark, count);
    for (size_t i = 1; i < actions + 2; i++) {
        part[0].usual -= part[i].usual;
        part[0].more -= part[i].more;
    }
}

/* Returns whether the excess is divided like a usual batch. */
static bool is_alike(const struct slow_part *part, size_t parts, double more)
{
    double usual = 0, excess = 0, largest = 0, away = 0;
    for (size_t i = 0; i < parts; i++) {
        usual += fmax(0, part[i].usual);
        excess += fmax(0, part[i].more);
        largest = fmax(largest, part[i].usual);
    }
    if (parts < 2 || usual <= 0 || excess < PART_LEAST * more)
        return false;
    for (size_t i = 0; i < parts; i++)
        away += fabs(fmax(0, part[i].usual) / usual - fmax(0, part[i].more) / excess);
    return away / 2 <= ALIKE_MOST && largest < ALIKE_LARGEST * usual;
}

/* Returns the largest part, the first by name of equal ones. */
static const struct slow_part *largest_of(const struct slow_part *part, size_t parts)
{
    const struct slow_part *best = part;
    for (size_t i = 1; i < parts; i++)
        if (part[i].more > best->more ||
            (part[i].more == best->more && strcmp(part[i].name, best->name) < 0))
            best = &part[i];
    return best;
}

static struct swi_slow_part part_find(const struct swi_analysis *analysis, const bool *mark,
                                      size_t count, struct slow_part *part)
{
    const struct slow_part whole = part_of("", analysis->s, analysis->n, mark, count);
    if (whole.more <= 0)
        return (struct swi_slow_part){"", false};
    parts_make(analysis, mark, count, &whole, part);
    if (is_alike(part, analysis->actions + 1, whole.more))
        return (struct swi_slow_part){"*", false};
    const struct slow_part *best = largest_of(part, analysis->actions + 2);
    bool much = best->more >= PART_LEAST * whole.more;
    return (struct swi_slow_part){much ? best->name : "", much && !*best->name};
}

struct swi_slow_part swi_slow_part_of(struct swi_analysis *analysis, const size_t *at, size_t count)
{
    struct swi_slow_part found = {"", false};
    if (count == 0 || count == analysis->n)
        return found;
    bool *mark = calloc(analysis->n, sizeof *mark);
    struct slow_part *part = calloc(analysis->actions + 2, sizeof *part);
    analysis->failed = analysis->failed || !mark || !part;
    for (size_t i = 0; mark && i < count; i++)
        mark[at[i]] = true;
    if (mark && part)
        found = part_find(analysis, mark, count, part);
    free(mark);
    free(part);
    return found;
}

void swi_slow_part_put(struct swi_text *text, const struct swi_analysis *analysis,
                       const struct swi_slow_part *part)
{
    if (strcmp(part->action, "*") == 0)
        swi_text_put(text, ", in all actions alike");
    else if (*part->action)
        swi_text_format(text, ", in %s", part->action);
    else if (part->unnamed)
        swi_text_put(text, analysis->actions ? ", in none of the measured actions" : ", in batch");
}

/* ---- one action at a time -------------------------------------------------------------------- */

/* How each action is affected. Number 0 is the rest of the batch, then the actions by name. */
struct strikes {
    double *rest;   /* for each step: time in none of the actions */
    double *usual;  /* of each action */
    size_t *struck; /* how often its excess was the largest */
    double *held;   /* for each slow step: the part of its excess that is in one action */
    size_t count;
};

static double value_at(const struct swi_analysis *analysis, const struct strikes *strikes, size_t a,
                       size_t i)
{
    return a ? analysis->action[a - 1].ns[i] : strikes->rest[i];
}

static void rest_make(const struct swi_analysis *analysis, double *rest)
{
    memcpy(rest, analysis->batch, analysis->n * sizeof *rest);
    for (size_t a = 0; a < analysis->actions; a++)
        for (size_t i = 0; i < analysis->n; i++)
            rest[i] -= analysis->action[a].ns[i];
    for (size_t i = 0; i < analysis->n; i++)
        rest[i] = fmax(0, rest[i]);
}

static void strike(const struct swi_analysis *analysis, struct strikes *strikes, size_t i)
{
    size_t worst = 0;
    double most = -1, sum = 0;
    for (size_t a = 0; a <= analysis->actions; a++) {
        double excess = fmax(0, value_at(analysis, strikes, a, i) - strikes->usual[a]);
        sum += excess;
        worst = excess > most ? a : worst;
        most = fmax(most, excess);
    }
    if (sum <= 0)
        return;
    strikes->held[strikes->count++] = most / sum;
    strikes->struck[worst]++;
}

/* Returns whether no action is affected more often than its share of the time explains. */
static bool is_random(const struct swi_analysis *analysis, const struct strikes *strikes,
                      double whole)
{
    double count = (double)strikes->count;
    size_t different = 0;
    for (size_t a = 0; a <= analysis->actions; a++) {
        double more = (double)strikes->struck[a] / count - strikes->usual[a] / whole;
        if (strikes->struck[a] && more > CHANCE_MOST + 0.5 / sqrt(count))
            return false;
        different += strikes->struck[a] > 0;
    }
    return different >= 2;
}

static bool one_at_a_time(const struct swi_analysis *analysis, struct strikes *strikes,
                          const size_t *at, size_t count)
{
    double whole = 0;
    rest_make(analysis, strikes->rest);
    for (size_t a = 0; a <= analysis->actions; a++) {
        const double *ns = a ? analysis->action[a - 1].ns : strikes->rest;
        strikes->usual[a] = swi_sample_median(ns, analysis->n, analysis->scratch);
        whole += strikes->usual[a];
    }
    for (size_t i = 0; whole > 0 && i < count; i++)
        strike(analysis, strikes, at[i]);
    return strikes->count >= STRUCK_LEAST &&
           swi_sample_median(strikes->held, strikes->count, analysis->scratch) >= ONE_LEAST &&
           is_random(analysis, strikes, whole);
}

bool swi_one_at_a_time(struct swi_analysis *analysis, const size_t *at, size_t count)
{
    if (!analysis->actions || !count)
        return false;
    struct strikes strikes = {.rest = calloc(analysis->n, sizeof *strikes.rest),
                              .usual = calloc(analysis->actions + 1, sizeof *strikes.usual),
                              .struck = calloc(analysis->actions + 1, sizeof *strikes.struck),
                              .held = calloc(count, sizeof *strikes.held)};
    bool fine = strikes.rest && strikes.usual && strikes.struck && strikes.held;
    bool found = fine && one_at_a_time(analysis, &strikes, at, count);
    analysis->failed = analysis->failed || !fine;
    free(strikes.rest);
    free(strikes.usual);
    free(strikes.struck);
    free(strikes.held);
    return found;
}

static double share_of(const struct swi_analysis *analysis, const char *name, double total)
{
    for (size_t a = 0; a < analysis->actions; a++)
        if (strcmp(analysis->action[a].name, name) == 0)
            return analysis->action[a].sum / total;
    return -1;
}

static double rest_of(struct swi_analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++) {
        double known = 0, batch = analysis->batch[i];
        for (size_t a = 0; a < analysis->actions; a++)
            known += analysis->action[a].standard ? analysis->action[a].ns[i] : 0;
        analysis->whole[i] = batch > 0 ? 1 - known / batch : 0;
    }
    return swi_sample_median(analysis->whole, analysis->n, analysis->scratch);
}

static struct swi_batch_parts batch_parts_make(struct swi_analysis *analysis)
{
    struct swi_batch_parts parts = {.total = swi_sample_sum(analysis->batch, analysis->n)};
    if (parts.total <= 0)
        return parts;
    double forward = share_of(analysis, "forward", parts.total);
    double backward = share_of(analysis, "backward", parts.total);
    parts.known = forward >= 0;
    parts.forward = forward > 0 ? forward : 0;
    parts.backward = backward > 0 ? backward : 0;
    parts.rest = rest_of(analysis);
    for (size_t a = 0; a < analysis->actions; a++)
        parts.own = parts.own || !analysis->action[a].standard;
    return parts;
}

const struct swi_batch_parts *swi_batch_parts_of(struct swi_analysis *analysis)
{
    if (!analysis->divided)
        analysis->parts = batch_parts_make(analysis);
    analysis->divided = true;
    return &analysis->parts;
}
