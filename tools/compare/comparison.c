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
static bool has_name(const struct per_step *item, const char *name)
{
    size_t phase = strlen(comparison_phases[item->phase]);
    if (strcmp(name, item->action) == 0)
        return true;
    return strncmp(name, comparison_phases[item->phase], phase) == 0 && name[phase] == '/' &&
           strcmp(name + phase + 1, item->action) == 0;
}

static bool is_wanted(const struct comparison *c, const struct per_step *item)
{
    const char *const *name = c->wanted;
    while (*name && !has_name(item, *name))
        name++;
    return *name || !*c->wanted;
}

static bool is_in(const struct durations *in, const char *name)
{
    size_t i = 0;
    while (i < in->times.count && !has_name(&in->times.item[i], name))
        i++;
    return i < in->times.count;
}

/* Fails if a name is in neither run: a misspelt name would be left out unnoticed in a CI. */
static int wanted_check(const struct comparison *c, struct sw_error *err)
{
    char have[400] = "";
    for (size_t i = 0; i < c->a.times.count; i++) {
        size_t used = strlen(have);
        snprintf(have + used, sizeof have - used, "%s%s/%s", i ? ", " : "",
                 comparison_phases[c->a.times.item[i].phase], c->a.times.item[i].action);
    }
    for (const char *const *name = c->wanted; *name; name++)
        if (!is_in(&c->a, *name) && !is_in(&c->b, *name))
            return sw_error_set(
                err, SW_EINVAL,
                "--action %s: no action in the steps of either run has that name; %s has %s", *name,
                c->a.replay.path, have);
    return 0;
}

static const struct per_step *match(const struct per_steps *in, const struct per_step *of)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->item[i].phase == of->phase && in->item[i].action_id == of->action_id &&
            (!of->counter || strcmp(in->item[i].counter, of->counter) == 0))
            return &in->item[i];
    return NULL;
}

/* All intervals of the rows together have the confidence, so each gets its share of the rest
 * (Bonferroni). Counters are a family of their own: more of them do not make the intervals of times
 * wider. */
static int rows_make(const struct comparison *c, struct comparison_rows *rows,
                     const struct per_steps *a, const struct per_steps *b, struct sw_error *err)
{
    rows->item = calloc(a->count + 1, sizeof *rows->item);
    if (!rows->item)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the comparison");
    for (size_t i = 0; i < a->count; i++) {
        const struct per_step *other = match(b, &a->item[i]);
        if (other && is_wanted(c, &a->item[i]))
            rows->item[rows->count++] = (struct comparison_row){.a = &a->item[i], .b = other};
    }
    double confidence = 1 - (1 - COMPARISON_CONFIDENCE) / (double)(rows->count ? rows->count : 1);
    for (size_t i = 0; i < rows->count; i++) {
        struct comparison_row *row = &rows->item[i];
        row->by = interval_of(&row->a->value, &row->b->value, confidence);
    }
    return 0;
}

int comparison_make(struct comparison *c, struct sw_error *err)
{
    int rc = wanted_check(c, err);
    if (rc == 0)
        rc = rows_make(c, &c->times, &c->a.times, &c->b.times, err);
    if (rc == 0 && !c->times.count)
        rc = sw_error_set(err, SW_EFORMAT, "%s and %s: no action%s is in the steps of both",
                          c->a.replay.path, c->b.replay.path,
                          *c->wanted ? " that you asked for" : "");
    return rc < 0 ? rc : rows_make(c, &c->uses, &c->a.uses, &c->b.uses, err);
}

void comparison_free(struct comparison *c)
{
    free(c->times.item);
    free(c->uses.item);
    durations_free(&c->a);
    durations_free(&c->b);
    finding_changes_free(&c->findings);
}

/* ---- verdicts ---- */

/* A counter that is the same in each step has no variance, and no resolution. */
const char *comparison_verdict(const struct comparison_row *row)
{
    double difference = means_mean(&row->b->value) - means_mean(&row->a->value);
    if (!(row->by.low > 0 || row->by.high < 0))
        return "noise";
    if (row->a->counter)
        return difference > 0 ? "more" : "less";
    return fabs(difference) <= RESOLUTION_NS ? "noise" : row->by.low > 0 ? "worse" : "better";
}

bool comparison_is_over(const struct comparison *c, const struct comparison_row *row)
{
    return strcmp(comparison_verdict(row), "worse") == 0 && row->by.difference > c->bound;
}

/* ---- what stands beside the rows ---- */

bool comparison_lacks(const struct comparison *c, const struct durations *other,
                      const struct per_step *item)
{
    return !match(&other->times, item) && is_wanted(c, item);
}

double comparison_samples(const struct durations *d)
{
    int64_t steps = d->times.steps[SW_PHASE_TRAIN];
    return steps ? d->samples / (double)steps : 0;
}
