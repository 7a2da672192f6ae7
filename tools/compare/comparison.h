/* SPDX-License-Identifier: MIT */
/* comparison.h - compares the durations of two runs, action by action: which became longer, by how
 * much, and whether that is more than noise. */
#ifndef TOOLS_COMPARE_COMPARISON_H
#define TOOLS_COMPARE_COMPARISON_H

#include "tools/compare/durations.h"
#include "tools/compare/finding_changes.h"
#include "tools/compare/interval.h"

#include <stepwatch/error.h>

/* The confidence of all intervals together. */
#define COMPARISON_CONFIDENCE 0.99

struct comparison_row {
    struct duration a, b;
    struct interval by;
};

/* A counter of an action that both runs have. */
struct comparison_use {
    const struct step_counter *a, *b;
    struct interval by;
};

struct comparison {
    struct durations a, b;           /* read and freed by the caller */
    struct finding_changes findings; /* the same */
    const char *const *wanted; /* "step" or "train/step"; terminated by NULL; NULL: all actions */
    double bound;              /* the share from which on it is "over"; INFINITY: none */
    size_t count;
    struct comparison_row *row;
    size_t use_count;
    struct comparison_use *use;
};

extern const char *const comparison_phases[];

/* Makes the rows of the actions that both have. Returns SW_EINVAL if a wanted name is in neither,
 * SW_EFORMAT if there is no row. */
int comparison_make(struct comparison *c, struct sw_error *err);
void comparison_free(struct comparison *c);

/* Returns "worse", "better" or "noise". */
const char *comparison_verdict(const struct comparison_row *row);

/* Returns "more", "less" or "noise": whether that is good depends on the counter. */
const char *comparison_use_verdict(const struct comparison_use *use);

/* Returns whether it is worse by more than the bound. */
bool comparison_is_over(const struct comparison *c, const struct comparison_row *row);

/* Returns whether a wanted action is missing in the other run. */
bool comparison_lacks(const struct comparison *c, const struct durations *other,
                      const struct duration *d);

/* Returns the samples per training step, or 0 if no step has any. */
double comparison_samples(const struct durations *d);

#endif
