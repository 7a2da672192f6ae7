/* SPDX-License-Identifier: MIT */
/* comparison.h - the durations of two runs, action by action: which became longer, by how much, and
 * whether that is more than noise. */
#ifndef TOOLS_COMPARE_COMPARISON_H
#define TOOLS_COMPARE_COMPARISON_H

#include "tools/compare/durations.h"
#include "tools/compare/interval.h"

#include <stepwatch/error.h>

/* Of all intervals together. */
#define COMPARISON_CONFIDENCE 0.99

struct comparison_row {
    struct duration a, b;
    struct interval by;
};

struct comparison {
    struct durations a, b; /* the caller's to read and to free */
    const char *const
        *wanted;  /* names of actions, "step" or "train/step"; ends with NULL; none: all */
    double bound; /* a share that "over" is measured by; INFINITY: none */
    size_t count;
    struct comparison_row *row;
};

extern const char *const comparison_phases[];

/* Makes the rows of the actions that both have. SW_EINVAL where a wanted name is in neither,
 * SW_EFORMAT if there is no row. */
int comparison_make(struct comparison *c, struct sw_error *err);
void comparison_free(struct comparison *c);

/* "worse", "better" or "noise". */
const char *comparison_verdict(const struct comparison_row *row);

/* It is worse, and by more than the bound. */
bool comparison_is_over(const struct comparison *c, const struct comparison_row *row);

/* Whether an action that was asked for is missing in the other run. */
bool comparison_lacks(const struct comparison *c, const struct durations *other,
                      const struct duration *d);

/* In training; 0 where no step said any. */
double comparison_samples(const struct durations *d);

#endif
