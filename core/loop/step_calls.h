/* SPDX-License-Identifier: MIT */
/* step_calls.h - adds the calls of a step to their rows without rates, and counts them. */
#ifndef CORE_LOOP_STEP_CALLS_H
#define CORE_LOOP_STEP_CALLS_H

#include "core/loop/step_regions.h"

/* Adds region i to its row, or to what is left out. */
static SWI_APART void swi_step_region_add(struct sw_profiler *sw, const struct swi_step *step,
                                          uint32_t i)
{
    int64_t self = SWI_GET(step->ended[i].self);
    if (swi_step_leaves_out(step, i))
        swi_dropped_add(sw, self);
    else
        swi_ended_add(SWI_GET(step->ended[i].row), swi_step_ticks(step, i), self);
}

/* Counts how often each row was called in the regions of a batch, in addition to `folded`, which
 * were counted earlier. (Does not take struct swi_step, because the hot path keeps it in registers,
 * and is not in another file, because then the compiler would have to save all registers for it.)
 */
static SWI_APART void swi_step_calls_count(const struct swi_ended *ended, uint32_t count,
                                           bool folded)
{
    for (uint32_t i = 0; !folded && i < count; i++)
        SWI_GET(ended[i].row)->lead->step_calls = 0;
    for (uint32_t i = 0; i < count; i++)
        SWI_GET(ended[i].row)->lead->step_calls++;
}

#endif
