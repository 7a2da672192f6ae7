/* SPDX-License-Identifier: MIT */
/* step_set.h - the steps that all ranks have. */
#ifndef TOOLS_MERGE_STEP_SET_H
#define TOOLS_MERGE_STEP_SET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A step is known by its phase, its number, and how many of that number came before it: validation
 * steps have the number of the training step before them. */
struct step_key {
    int64_t step;
    int64_t nth; /* STEP_COUNTER: counts those of this number within one log */
    bool train;
    bool used;
    int64_t logs; /* how many have it */
    int64_t log, count;
    size_t column; /* of a common training step */
};
enum { STEP_COUNTER = -1 };

/* Begins as {0}. */
struct step_set {
    struct step_key *item; /* a hash table */
    size_t room, count;
    bool failed; /* no memory */
};

/* The entry of the next step of log number `log`, which is counted. add: makes one if there is
 * none. NULL: there is none, or no memory. */
struct step_key *step_set_next(struct step_set *set, int64_t log, const json_t *line, bool add);

/* Numbers the training steps that all logs have; returns how many. common: set to how many steps
 * of any phase all logs have. */
size_t step_set_number(struct step_set *set, int64_t logs, size_t *common);
void step_set_free(struct step_set *set);

#endif
