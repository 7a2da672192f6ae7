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

/* Adds a region that was never on the stack: it had ended before anything else began. */
void swi_leaf_end(struct sw_profiler *sw, struct swi_thread *thread, struct swi_row *row,
                  int64_t ticks);

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

/* ---- regions that wait for the end of their step (waiting_regions.c) ------------------------- */

/* The regions that wait for the end of their step: draws and what ended in them, and what ended in
 * the open batch. Under the fold lock.
 *
 * A draw belongs to a step of its own phase. While a batch is open, those of the other phase come
 * first in the list: ended[0 .. step_from). */

/* A batch begins: puts what waits for the other phase first. */
void swi_waiting_sort(struct swi_thread *thread);

/* The batch and its draws are in their rows, or left out. */
void swi_waiting_clear(struct swi_thread *thread);

/* A draw is dropped, and no batch is open: what ended in it, from `first` on, counts now. */
void swi_waiting_count(struct swi_thread *thread, uint32_t first);

/* A batch that began at `first` is discarded with its draws and what ended in it. What ended in the
 * draws counts. */
void swi_waiting_discard_batch(struct swi_thread *thread, uint32_t first);

/* An epoch, train, valid or fit is over: the same for its draws that no batch followed. */
void swi_waiting_discard(struct swi_thread *thread, int action);

/* The list is as long as it may be, and no batch is open. */
void swi_waiting_full(struct sw_profiler *sw, struct swi_thread *thread);

/* Adds all that waits to its rows: the thread is not the loop's. */
void swi_waiting_add(struct swi_thread *thread);

/* Before a report: does so with all threads but the loop's. */
void swi_reports_prepare(struct sw_profiler *sw);

#endif
