/* SPDX-License-Identifier: MIT */
/* stack.h - the open regions of a thread, and how the innermost one ends. Under the fold lock. */
#ifndef CORE_LOOP_STACK_H
#define CORE_LOOP_STACK_H

#include "core/loop/near_stack.h"
#include "core/loop/state.h"

/* Ends the innermost region, whatever it is: adds it to its row, or to what waits for the end of
 * its step. samples: of a batch; else -1. */
void swi_region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                    int64_t now);

/* Returns the depth of the innermost open region of an action; 0: none is open. */
int swi_frame_of(const struct swi_thread *thread, int action);

/* The innermost region does not count, what ended inside it does. */
void swi_frame_drop(struct swi_thread *thread);

/* Leaves out the regions that are open above `depth`; what ended inside them counts. Discarded:
 * they are open inside one that ends, or what happens next leaves them out. Cancelled: nothing else
 * says so. */
void swi_regions_discard(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);
void swi_regions_cancel(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);

/* After the end of a batch or a draw: outside of train and valid it made the phase train. */
static inline void swi_phase_back(struct swi_thread *thread)
{
    enum sw_phase phase = thread->elapsed.running;
    if (phase != thread->phase)
        swi_thread_phase(thread, phase);
}

/* The same after the end of anything else. */
void swi_phase_restore(struct swi_thread *thread, int64_t now);

#endif
