/* SPDX-License-Identifier: MIT */
/* step_fields.h - the numbers that a run log has of each call in a step, in one table. From it they
 * are written (runlog/logged_step.c), added up over several steps (step_groups.c), divided among
 * them again (tools/log/thinned_steps.c) and replayed (tools/log/played_steps.c). */
#ifndef SINKS_COMMON_STEP_FIELDS_H
#define SINKS_COMMON_STEP_FIELDS_H

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of which calls a number is written: all; those where it is not 0; those that others ran in,
 * except for draws and the batch. */
enum swi_field_written { SWI_OF_ALL, SWI_NOT_ZERO, SWI_AROUND };

/* What each of several steps has of their sum: a time lies between the shortest and the longest,
 * a self time is the same share of its call's time in each step, and of others each step has the
 * same. */
enum swi_field_divided { SWI_AS_TIME, SWI_AS_SELF, SWI_EVENLY };

/* A line adds a number, which docs/run-log.md describes: its key; whether it is of calls inside a
 * call of the same action; the int64_t of struct sw_step_part; of which calls it is written; how
 * its sum is divided; and the function of <stepwatch/replay.h> that gets it before the call ends,
 * or NULL. Keys are in the order in which a line has them. */
#define SWI_STEP_FIELDS(EACH)                                                                      \
    EACH(durations, false, duration_ns, SWI_OF_ALL, SWI_AS_TIME, NULL)                             \
    EACH(self, false, self_ns, SWI_AROUND, SWI_AS_SELF, sw_set_self)                               \
    EACH(inner, true, duration_ns, SWI_OF_ALL, SWI_AS_TIME, NULL)                                  \
    EACH(inner_self, true, self_ns, SWI_AROUND, SWI_AS_SELF, sw_set_self)

/* Returns the number at an offset of part i. An older core has fewer fields: then it is 0. A self
 * time that is not known is the duration. */
static inline int64_t swi_step_number(const struct sw_step *step, size_t i, size_t offset)
{
    const struct sw_step_part *part = sw_step_part_at(step, i);
    bool self = offset == offsetof(struct sw_step_part, self_ns);
    int64_t number = self ? -1 : 0;
    if (offset + sizeof number <= step->part_stride)
        memcpy(&number, (const char *)part + offset, sizeof number);
    return self && number < 0 ? part->duration_ns : number;
}

#endif
