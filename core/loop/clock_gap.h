/* SPDX-License-Identifier: MIT */
/* clock_gap.h - takes out of what a thread has open what its clock did not count rightly. */
#ifndef CORE_LOOP_CLOCK_GAP_H
#define CORE_LOOP_CLOCK_GAP_H

#include "core/loop/state.h"

/* Looks at both clocks where that is due, and takes what they differ by out of what the thread has
 * open. now: a tick that was just read. */
void swi_gaps_look(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
/* The same for what is known already, with the profiler's lock held. */
void swi_gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread);

/* The first of these where something may be to be done. */
static inline void swi_gaps_check(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    bool due = swi_clock_due(&sw->measured.clock, now);
    if (SWI_UNLIKELY(due || SWI_GET(thread->gaps) != SWI_GET(sw->measured.clock.gaps)))
        swi_gaps_look(sw, thread, now);
}

#endif
