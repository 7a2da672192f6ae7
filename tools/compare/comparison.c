/* SPDX-License-Identifier: MIT */
#include "tools/compare/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The resolution of durations. */
#define RESOLUTION_NS 1.0

const char *const comparison_phases[] = {"fit", "train", "valid"};

/* Returns whether a name, "step" or "train/step", selects an action. */
static bool has_name(const struct duration *d, const char *name)
{
    size_t phase = strlen(comparison_phases[d->phase]);
    if (strcmp(name, d->action) == 0)
        return true;
    return strncmp(name, comparison_phases[d->phase], phase) == 0 && name[phase] == '/' &&
           strcmp(name + phase + 1, d->action) == 0;
}

static bool is_wanted(const struct comparison *c, const struct duration *d)
{
    const char *const *name = c->wanted;
    while (*name && !has_name(d, *name))
        name++;
    return *name || !*c->wanted;
}

static bool is_in(const struct durations *in, const char *name)
{
    size_t i = 0;
    while (i < in->count && !has_name(&in->item[i], name))
        i++;
    return i < in->count;
}

/* Fails if a name is in neither run: a misspelt name would be left out unnoticed in a CI. */
static int wanted_check(const struct comparison *c, struct sw_error *err)
{
    char have[400] = "";
    for (size_t i = 0; i < c->a.count; i++) {
        size_t used = strlen(have);
        snprintf(have + used, sizeof have - used, "%s%s/%s", i ? ", " : "",
                 comparison_phases[c->a.item[i].phase], c->a.item[i].action);
    }
    for (const char *const *name = c->wanted; *name; name++)
        if (!is_in(&c->a, *name) && !is_in(&c->b, *name))
            return sw_error_set(
                err, SW_EINVAL,
                "--action %s: no action in the steps of either run has that name; %s has %s", *name,
                c->a.replay.path, have);
    return 0;
}

static const struct duration *match(const struct durations *in, const struct duration *of)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->item[i].phase == of->phase && in->item[i].action_id == of->action_id)
            return &in->item[i];
    return NULL;
}

/* All intervals together have the confidence, so each gets its share of the rest (Bonferroni). */
static void rows_compare(struct comparison *c)
{
    double confidence = 1 - (1 - COMPARISON_CONFIDENCE) / (double)(c->count ? c->count : 1);
    for (size_t i = 0; i < c->count; i++)
        c->row[i].by = interval_of(&c->row[i].a.ns, &c->row[i].b.ns, confidence);
}

static int rows_make(struct comparison *c, struct sw_error *err)
{
    c->row = calloc(c->a.count + 1, sizeof *c->row);
    if (!c->row)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the comparison");
    for (size_t i = 0; i < c->a.count; i++) {
        const struct duration *a = &c->a.item[i], *b = match(&c->b, a);
        if (b && is_wanted(c, a))
            c->row[c->count++] = (struct comparison_row){.a = *a, .b = *b};
    }
    rows_compare(c);
    if (c->count)
        return 0;
    return sw_error_set(err, SW_EFORMAT, "%s and %s: no action%s is in the steps of both",
                        c->a.replay.path, c->b.replay.path,
                        *c->wanted ? " that you asked for" : "");
}

/* ---- counters ---- */

static const struct step_counter *use_match(const struct step_counters *in,
                                            const struct step_counter *of)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->item[i].phase == of->phase && in->item[i].action_id == of->action_id &&
            strcmp(in->item[i].name, of->name) == 0)
            return &in->item[i];
    return NULL;
}

/* Counters are a family of their own: more of them do not make the intervals of durations wider. */
static void uses_compare(struct comparison *c)
{
    double confidence = 1 - (1 - COMPARISON_CONFIDENCE) / (double)(c->use_count ? c->use_count : 1);
    for (size_t i = 0; i < c->use_count; i++)
        c->use[i].by = interval_of(&c->use[i].a->use, &c->use[i].b->use, confidence);
}

static int uses_make(struct comparison *c, struct sw_error *err)
{
    c->use = calloc(c->a.counters.count + 1, sizeof *c->use);
    if (!c->use)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the comparison");
    for (size_t i = 0; i < c->a.counters.count; i++) {
        const struct step_counter *a = &c->a.counters.item[i];
        const struct step_counter *b = use_match(&c->b.counters, a);
        const struct duration of = {.phase = a->phase, .action = a->action};
        if (b && is_wanted(c, &of))
            c->use[c->use_count++] = (struct comparison_use){.a = a, .b = b};
    }
    uses_compare(c);
    return 0;
}

int comparison_make(struct comparison *c, struct sw_error *err)
{
    int rc = wanted_check(c, err);
    if (rc == 0)
        rc = rows_make(c, err);
    return rc < 0 ? rc : uses_make(c, err);
}

void comparison_free(struct comparison *c)
{
    free(c->row);
    free(c->use);
    durations_free(&c->a);
    durations_free(&c->b);
    finding_changes_free(&c->findings);
}

/* ---- verdicts ---- */

enum verdict { NOISE, BETTER, WORSE };

static enum verdict verdict_of(const struct comparison_row *row)
{
    if (fabs(means_mean(&row->b.ns) - means_mean(&row->a.ns)) <= RESOLUTION_NS)
        return NOISE;
    return row->by.low > 0 ? WORSE : row->by.high < 0 ? BETTER : NOISE;
}

bool comparison_is_over(const struct comparison *c, const struct comparison_row *row)
{
    return verdict_of(row) == WORSE && row->by.difference > c->bound;
}

const char *comparison_verdict(const struct comparison_row *row)
{
    static const char *const verdicts[] = {"noise", "better", "worse"};
    return verdicts[verdict_of(row)];
}

/* A counter that is the same in each step has no variance. */
const char *comparison_use_verdict(const struct comparison_use *use)
{
    double difference = means_mean(&use->b->use) - means_mean(&use->a->use);
    if (!(use->by.low > 0 || use->by.high < 0))
        return "noise";
    return difference > 0 ? "more" : "less";
}

/* ---- what stands beside the rows ---- */

bool comparison_lacks(const struct comparison *c, const struct durations *other,
                      const struct duration *d)
{
    return !match(other, d) && is_wanted(c, d);
}

double comparison_samples(const struct durations *d)
{
    return d->seen.steps[SW_PHASE_TRAIN] ? d->samples / (double)d->seen.steps[SW_PHASE_TRAIN] : 0;
}
