/* SPDX-License-Identifier: MIT */
/* open_regions.h - the regions of a thread that are open, and those that have ended and wait for
 * the end of their step. Under the fold lock. */
#ifndef CORE_LOOP_OPEN_REGIONS_H
#define CORE_LOOP_OPEN_REGIONS_H

#include "core/loop/near_stack.h"
#include "core/loop/state.h"

/* Returns the depth of the innermost open region of an action; 0: none is open. */
int swi_frame_of(const struct swi_thread *thread, int action);

/* The innermost region does not count, what ended inside it does. */
void swi_frame_drop(struct swi_thread *thread);

/* Leaves out the regions that are open above `depth`; what ended inside them counts. Discarded:
 * they are open inside one that ends, or what happens next leaves them out. Cancelled: nothing else
 * says so. */
void swi_regions_discard(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);
void swi_regions_cancel(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);

/* The innermost region leaves the stack. */
static inline void swi_frame_pop(struct swi_thread *thread)
{
    int action = thread->frame->action;
    if (action < SW_BUILTIN_ACTIONS)
        thread->open_builtin &= (uint16_t) ~(1U << action);
    thread->frame--;
}

/* After the end of a batch or a draw: outside of train and valid it made the phase train. */
static inline void swi_phase_back(struct swi_thread *thread)
{
    enum sw_phase phase = thread->elapsed.running;
    if (phase != thread->phase)
        swi_thread_phase(thread, phase);
}

/* A draw has left the stack. */
static inline void swi_draw_left(struct swi_thread *thread)
{
    thread->drawing--;
    if (thread->loop && thread->batch_first < 0)
        swi_phase_back(thread);
}

/* The phase after the end of anything else. */
void swi_phase_restore(struct swi_thread *thread, int64_t now);

/* ---- regions that wait for the end of their step --------------------------------------------- */

/* The regions that wait for the end of their step: draws and what ended in them, and what ended in
 * the open batch. Under the fold lock.
 *
 * A draw belongs to a step of its own phase. While a batch is open, those of the other phase come
 * first in the list: ended[0 .. step_from). */

/* A batch begins: puts what waits for the other phase first. */
void swi_waiting_sort(struct swi_thread *thread);

/* The batch and its draws are in their rows, or left out. */
void swi_waiting_clear(struct swi_thread *thread);

/* An epoch, train, valid or fit is over: its draws that no batch followed are discarded, and what
 * ended in them counts. */
void swi_waiting_discard(struct swi_thread *thread, int action);

/* The list is as long as it may be, and no batch is open. */
void swi_waiting_full(struct sw_profiler *sw, struct swi_thread *thread);

/* Adds all that waits to its rows: the thread is not the loop's. */
void swi_waiting_add(struct swi_thread *thread);

/* Before a report: does so with all threads but the loop's. */
void swi_reports_prepare(struct sw_profiler *sw);

/* Takes the gaps of the clock that lie before an event out of what is open. now: its tick. */
void swi_gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

#endif
