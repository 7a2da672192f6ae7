/* SPDX-License-Identifier: MIT */
/* steps.h - the training steps of a run, one by one or, of a long run, a sample of them. */
#ifndef TOOLS_LOG_STEPS_H
#define TOOLS_LOG_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step_kept {
    int64_t step;
    double rate; /* samples per second, or steps per second where no step says its samples */
};

/* Begins as {0}. Holds at most STEPS_KEPT: when it is full, one of each two neighbours is left, at
 * random, and from then on one of twice as many is kept. */
enum { STEPS_KEPT = 1 << 15 };
struct steps {
    size_t count;
    struct step_kept *item;
    int64_t seen;
    int64_t every;  /* one of so many is kept */
    int64_t chosen; /* which one of the current group */
    uint32_t lot;
    bool failed; /* no memory */
};

void steps_add(struct steps *steps, int64_t step, double rate);
void steps_free(struct steps *steps);

/* So many steps in a row, as one point of a chart. */
struct steps_point {
    double step;
    double p5, p50, p95;
};

/* Makes at most `most` points of the steps, in their order. Returns how many. */
size_t steps_points(const struct steps *steps, struct steps_point *point, size_t most);

#endif
