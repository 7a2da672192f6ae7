/* SPDX-License-Identifier: MIT */
/* step_counters.h - what each action used of each counter in the steps of a recorded run. */
#ifndef TOOLS_COMPARE_STEP_COUNTERS_H
#define TOOLS_COMPARE_STEP_COUNTERS_H

#include "tools/compare/means.h"

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

#include <stdbool.h>

/* A counter of an action in the steps of a phase: its use per step, which is 0 in steps without the
 * action. A step of which it is not known is left out. SW_STEP is draw and batch. */
struct step_counter {
    enum sw_phase phase;
    int action_id;
    const char *action;
    char *name, *unit;
    enum sw_counter_kind kind;
    struct means use;
    int64_t unknown; /* steps */
    /* Of the current step. */
    bool any, missed;
    int64_t sum;
};

/* Initialise it as {0}. */
struct step_counters {
    size_t count;
    struct step_counter *item;
};

/* Adds a step; before: how many of its phase came before it. Returns 0 or SW_ENOMEM. */
int step_counters_take(struct step_counters *counters, const struct sw_step *step, int64_t before,
                       struct sw_error *err);
/* Call it after the last step. steps: their number, by phase. */
void step_counters_finish(struct step_counters *counters, const int64_t *steps);
void step_counters_free(struct step_counters *counters);

#endif
