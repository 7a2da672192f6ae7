/* SPDX-License-Identifier: MIT */
/* step_set.h - which steps a log has, of one phase. Steps usually follow each other, so this takes
 * a few ranges, however many steps there are. */
#ifndef TOOLS_MERGE_STEP_SET_H
#define TOOLS_MERGE_STEP_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each step of first..last is there `times` times: validation steps have the number of the training
 * step before them. */
struct step_range {
    int64_t first, last;
    int64_t times;
    size_t column; /* of the first one, once they are numbered */
};

/* Begins as {0}. */
struct step_set {
    struct step_range *item; /* ascending */
    size_t count, room;
    size_t at;   /* where the last look-up ended */
    bool failed; /* no memory */
};

/* Adds a step once more. Returns how many times it was there before. */
int64_t step_set_add(struct step_set *set, int64_t step);

/* The range of a step; NULL if it is not there. */
const struct step_range *step_set_find(struct step_set *set, int64_t step);

/* Leaves what the other has, too. Returns whether the set is smaller now. */
bool step_set_intersect(struct step_set *set, const struct step_set *other);

/* Numbers the steps, each once; returns how many there are. */
size_t step_set_number(struct step_set *set);
/* The step with a number. */
int64_t step_set_step(const struct step_set *set, size_t column);

/* Empties it, and keeps its memory. */
void step_set_clear(struct step_set *set);
void step_set_free(struct step_set *set);

#endif
