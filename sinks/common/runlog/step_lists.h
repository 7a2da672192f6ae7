/* SPDX-License-Identifier: MIT */
/* step_lists.h - the parts of a step by action: the calls of an action are a list, and calls inside
 * a call of the same action another one. */
#ifndef SINKS_COMMON_RUNLOG_STEP_LISTS_H
#define SINKS_COMMON_RUNLOG_STEP_LISTS_H

#include <stdbool.h>
#include <stepwatch/sink.h>

struct swi_step_list_part {
    size_t next; /* the next part of the same list; 0: none */
    bool later;  /* it is not the first of its list */
};

struct swi_step_lists {
    const struct sw_step *step;
    struct swi_step_list_part *part; /* NULL: each list has a single part, as in most steps */
};

/* Returns false if out of memory. */
bool swi_step_lists_init(struct swi_step_lists *lists, const struct sw_step *step);
void swi_step_lists_fini(struct swi_step_lists *lists);

static inline bool swi_step_list_begins(const struct swi_step_lists *lists, size_t i)
{
    return !lists->part || !lists->part[i].later;
}

/* Returns the next part of the same list; 0: none. */
static inline size_t swi_step_list_next(const struct swi_step_lists *lists, size_t i)
{
    return lists->part ? lists->part[i].next : 0;
}

#endif
