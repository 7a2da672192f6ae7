/* SPDX-License-Identifier: MIT */
/* step_groups.h - adds up steps, for a sink that does not store each of them. Steps whose actions
 * are the same, in the same order, become one group: its counts and sums are those of its steps. */
#ifndef SINKS_COMMON_STEP_GROUPS_H
#define SINKS_COMMON_STEP_GROUPS_H

#include <stepwatch/sink.h>

/* Returns what a step stands for: the sums of several, or itself. */
static inline const struct sw_step *swi_step_sum(const struct sw_step *step)
{
    return SW_HAS(step->size, step, sum) && step->sum ? step->sum : step;
}

/* Returns how many steps it stands for. */
static inline int64_t swi_step_count(const struct sw_step *step)
{
    return swi_step_sum(step) == step ? 1 : step->steps;
}

/* Copies a step with all that it points to. Returns false if out of memory; free it in any case. */
bool swi_step_copy(struct sw_step *to, const struct sw_step *from);
void swi_step_free(struct sw_step *step);

/* Each part of sum, min and max is of the same place in the steps. Only `sum` has counters: a peak
 * of all steps is there once for each step, so that sums of peaks can be divided as well. */
struct swi_step_group {
    int64_t count;
    struct sw_record record; /* of the newest step; step_done is &sum */
    int64_t first_step;      /* the steps have numbers from here to record.step */
    int64_t from_ns;         /* and were made from here to record.time_ns */
    struct sw_step sum, min, max;
};

/* At most so many kinds of steps are told apart. */
enum { SWI_STEP_GROUPS = 16 };

/* Initialise it as {0}. */
struct swi_step_groups {
    struct swi_step_group group[SWI_STEP_GROUPS];
    size_t count;
    int64_t first_step, from_ns, steps;
};

/* Adds a step. from_ns: when what came before it ended. Returns false if it is of one kind too many
 * or memory is out: then take the groups first. */
bool swi_step_groups_add(struct swi_step_groups *groups, const struct sw_record *record,
                         int64_t from_ns);

/* Divides the numbers and the time of the steps among the groups, in the order of their last steps,
 * which is then their order in the array. */
void swi_step_groups_divide(struct swi_step_groups *groups);

/* Removes all steps. */
void swi_step_groups_clear(struct swi_step_groups *groups);

#endif
