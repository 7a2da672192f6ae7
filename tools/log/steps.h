/* SPDX-License-Identifier: MIT */
/* steps.h - the training steps of a run: all of them or, of a long run, a sample. */
#ifndef TOOLS_LOG_STEPS_H
#define TOOLS_LOG_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step_kept {
    int64_t step;
    double rate; /* samples per second, or steps per second if no step has samples */
};

/* Initialise it as {0}. It has at most STEPS_KEPT steps. When it is full, one of each two
 * neighbours is kept, at random, and from then on half as many are kept. */
enum { STEPS_KEPT = 1 << 15 };
struct steps {
    size_t count;
    struct step_kept *item;
    int64_t seen;
    int64_t every;  /* one of this many is kept */
    int64_t chosen; /* which one of the current group */
    uint32_t lot;
    bool failed; /* no memory */
};

/* Adds steps with the same rate, of which the last has this number. */
void steps_add(struct steps *steps, int64_t step, int64_t count, double rate);
void steps_free(struct steps *steps);

/* Several consecutive steps as one point of a chart. */
struct steps_point {
    double step;
    double p5, p50, p95;
};

/* Makes at most `most` points of the steps, in order. Returns how many. */
size_t steps_points(const struct steps *steps, struct steps_point *point, size_t most);

#endif
