/* SPDX-License-Identifier: MIT */
/* Computes the state of a schedule at a step from the step's number alone. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/trace/schedule.h"

static int64_t cycle_of(const struct sw_schedule *schedule)
{
    return schedule->wait + schedule->warmup + schedule->active;
}

/* Returns the action at a place in the cycle. */
static enum sw_schedule_action action_in_cycle(const struct sw_schedule *schedule, int64_t place)
{
    if (place < schedule->wait)
        return SW_SCHEDULE_NONE;
    if (place < schedule->wait + schedule->warmup)
        return SW_SCHEDULE_WARMUP;
    bool last = place == cycle_of(schedule) - 1;
    return last ? SW_SCHEDULE_RECORD_AND_SAVE : SW_SCHEDULE_RECORD;
}

/* If the first wait is skipped, the run is that many steps further, so the last cycle ends earlier
 * too. */
enum sw_schedule_action sw_schedule_action(const struct sw_schedule *schedule, int64_t step)
{
    if (!schedule->given || schedule->active < 1 || step < 0 || step < schedule->skip_first)
        return SW_SCHEDULE_NONE;
    int64_t cycle = cycle_of(schedule), cycles = schedule->repeat;
    int64_t since = step - schedule->skip_first + (schedule->skip_first_wait ? schedule->wait : 0);
    if (cycles > 0 && since / cycle >= cycles)
        return SW_SCHEDULE_NONE;
    return action_in_cycle(schedule, since % cycle);
}

int64_t swi_schedule_end(const struct sw_schedule *schedule)
{
    if (schedule->repeat == 0)
        return INT64_MAX;
    int64_t left_out = schedule->skip_first_wait ? schedule->wait : 0;
    return schedule->skip_first + schedule->repeat * cycle_of(schedule) - left_out;
}

int64_t swi_schedule_first(const struct sw_schedule *schedule)
{
    int64_t wait = schedule->skip_first_wait ? 0 : schedule->wait;
    return schedule->skip_first + wait + schedule->warmup;
}
