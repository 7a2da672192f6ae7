/* SPDX-License-Identifier: MIT */
/* thinned_steps.h - makes steps of a line `steps`, which has several of them added up. Their number
 * and the sums, smallest and largest values of each duration are those of the line: two steps have
 * the smallest and the largest, and the others have their shares of the rest, and are alike. So at
 * most three lines `step` are made, of which the last stands for several steps. */
#ifndef TOOLS_LOG_THINNED_STEPS_H
#define TOOLS_LOG_THINNED_STEPS_H

#include "tools/log/log_value.h"

/* Initialise it as {0}. */
struct thinned_steps {
    int64_t next, count;           /* no step is left if they are equal */
    bool one_by_one;               /* make a line of each step */
    struct log_value *line, *step; /* the step that was made last has texts of the line */
};

/* Returns why a line is damaged; NULL: it is not. */
const char *thinned_steps_wrong(const struct log_value *line);

/* Begins with a line. Returns false if it is damaged or memory is out. */
bool thinned_steps_begin(struct thinned_steps *steps, const struct log_value *line);

/* Returns the next step as a line `step`, until the next call; NULL: none is left. The first one
 * has the field `of`, with the number of steps; `batch_self` is the self time of the batch. A line
 * that stands for several steps has their number in the field `steps`, that of the first of them in
 * `first`, and their sums. */
const struct log_value *thinned_steps_next(struct thinned_steps *steps);

static inline bool thinned_steps_left(const struct thinned_steps *steps)
{
    return steps->next < steps->count;
}

/* Returns how many steps a line `step` stands for. */
int64_t thinned_steps_of(const struct log_value *line);
/* Returns the number of the first of them. */
int64_t thinned_steps_first(const struct log_value *line);

void thinned_steps_free(struct thinned_steps *steps);

#endif
