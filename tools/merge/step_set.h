/* SPDX-License-Identifier: MIT */
/* step_set.h - the steps of one phase in a log. Steps are usually consecutive, so a few ranges are
 * enough for any number of steps. */
#ifndef TOOLS_MERGE_STEP_SET_H
#define TOOLS_MERGE_STEP_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each step of first..last occurs `times` times: validation steps have the number of the training
 * step before them. */
struct step_range {
    int64_t first, last;
    int64_t times;
    size_t column; /* of the first one, after step_set_number() */
};

/* Initialise it as {0}. */
struct step_set {
    struct step_range *item; /* in ascending order */
    size_t count, room;
    size_t at;   /* where the last search ended */
    bool failed; /* out of memory */
};

/* Adds a step. Returns how many times it was there before. */
int64_t step_set_add(struct step_set *set, int64_t step);

/* Returns the range of a step, or NULL. */
const struct step_range *step_set_find(struct step_set *set, int64_t step);

/* Keeps only the steps that the other set has too. Returns whether the set is smaller now. */
bool step_set_intersect(struct step_set *set, const struct step_set *other);

/* Adds the steps that only the other set has, or has more often. */
void step_set_unite(struct step_set *set, const struct step_set *other);

/* Returns how many steps there are, each as often as it occurs. */
int64_t step_set_steps(const struct step_set *set);

/* Numbers the steps, each once. Returns how many there are. */
size_t step_set_number(struct step_set *set);

/* Empties the set and keeps its memory. */
void step_set_clear(struct step_set *set);
void step_set_free(struct step_set *set);

#endif
