/* SPDX-License-Identifier: MIT */
/* schedule.h - which training steps a schedule records: <stepwatch/window.h>. */
#ifndef CORE_TRACE_SCHEDULE_H
#define CORE_TRACE_SCHEDULE_H

#include <stepwatch/window.h>

/* Returns whether a step is recorded. */
static inline bool swi_schedule_records(const struct sw_schedule *schedule, int64_t step)
{
    return sw_schedule_action(schedule, step) >= SW_SCHEDULE_RECORD;
}

/* Returns the first step that is recorded. */
int64_t swi_schedule_first(const struct sw_schedule *schedule);

/* Returns the first step after the last window, or INT64_MAX if windows repeat for ever. */
int64_t swi_schedule_end(const struct sw_schedule *schedule);

#endif
