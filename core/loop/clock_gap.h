/* SPDX-License-Identifier: MIT */
/* clock_gap.h - corrects the open regions of a thread after its clock was suspended or set. */
#ifndef CORE_LOOP_CLOCK_GAP_H
#define CORE_LOOP_CLOCK_GAP_H

#include "core/loop/state.h"

/* Compares both clocks if that is due, and takes their difference out of the thread's open regions.
 * now: a tick that was just read. */
void swi_gaps_look(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
/* Takes out the gaps that are already known. The caller holds the profiler's lock. */
void swi_gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread);

/* Calls swi_gaps_look() if there may be something to do. */
static inline void swi_gaps_check(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    bool due = swi_clock_due(&sw->measured.clock, now);
    if (SWI_UNLIKELY(due || SWI_GET(thread->gaps) != SWI_GET(sw->measured.clock.gaps)))
        swi_gaps_look(sw, thread, now);
}

#endif
