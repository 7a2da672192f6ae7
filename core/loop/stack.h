/* SPDX-License-Identifier: MIT */
/* stack.h - the open regions of the calling thread, and how the innermost one ends. */
#ifndef CORE_LOOP_STACK_H
#define CORE_LOOP_STACK_H

#include "core/loop/action_kinds.h"
#include "core/loop/counted_words.h"
#include "core/loop/ended_regions.h"
#include "core/loop/notify_probe.h"
#include "core/loop/step.h"
#include "core/loop/tracing.h"
#include "core/rows/action.h"

static inline void swi_frame_pop(struct swi_thread *thread)
{
    *thread->frame->fast = thread->frame->row;
    thread->frame--;
}

/* How an end is traced. */
struct swi_end_trace {
    struct sw_profiler *sw; /* NULL: an action that needs no closer look, and there is room */
    int64_t samples;        /* of a batch; else -1 */
};

/* With the change of the row: whoever looks at both sees both. What the loop's thread ends in a
 * batch is in no report before the batch has ended. The end of a step and of a fit stands where
 * these are made. */
static SWI_INLINE void swi_end_trace_put(const struct swi_end_trace *traced,
                                         struct swi_thread *thread, const struct swi_frame *frame,
                                         int64_t ticks)
{
    int action = frame->action;
    if (!traced->sw)
        swi_trace_region(thread, SW_REGION_END, action, frame->start + ticks);
    else if (!thread->loop || (action != SW_BATCH && action != SW_FIT))
        swi_trace(traced->sw, thread, SW_REGION_END, action, frame->start + ticks, traced->samples);
}

/* Puts the innermost region into the list of those that ended. Outside of a batch it is in the sums
 * of its row at once. counts: how what it used is added up; NULL: the thread does not count. Where
 * counters of two CPUs differ by some ticks, a duration may be negative; that is not usual, and
 * row.c takes it for 0. */
static SWI_INLINE void swi_region_move(struct swi_thread *thread, int64_t ticks, bool usual,
                                       const struct swi_end_trace *traced,
                                       const struct swi_end_counts *counts)
{
    struct swi_frame *frame = thread->frame;
    struct swi_row *row = frame->row;
    struct swi_ended *ended = SWI_GET(thread->next_ended);
    int64_t self = ticks - frame->inside;
    frame[-1].inside += ticks;
    swi_frame_pop(thread);
    SWI_SET(ended->row, row);
    SWI_SET(ended->ticks, ticks);
    if (SWI_LIKELY(thread->at_once && frame->action != SW_DRAW)) {
        swi_thread_change(thread);
        if (usual)
            swi_row_sum_usual(row, ticks, self);
        else
            swi_row_sum(row, ticks, self);
        if (counts)
            swi_counting_end(thread, counts, true, ended);
        if (traced)
            swi_end_trace_put(traced, thread, frame, ticks);
        SWI_SET(ended->self, SWI_COUNTED);
        atomic_store_explicit(&thread->next_ended, ended + 1, memory_order_release);
        swi_thread_changed(thread);
    } else if (traced && !thread->loop) {
        swi_thread_change(thread);
        if (counts)
            swi_counting_end(thread, counts, false, ended);
        swi_end_trace_put(traced, thread, frame, ticks);
        SWI_SET(ended->self, self);
        atomic_store_explicit(&thread->next_ended, ended + 1, memory_order_release);
        swi_thread_changed(thread);
    } else {
        if (counts)
            swi_counting_end(thread, counts, false, ended);
        if (traced)
            swi_end_trace_put(traced, thread, frame, ticks);
        SWI_SET(ended->self, self);
        atomic_store_explicit(&thread->next_ended, ended + 1, memory_order_release);
    }
}

/* The same where a sink or a probe is told, or counters are read. */
void swi_region_end_apart(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                          int64_t now);

/* Ends the innermost region, whatever it is. samples: of a batch; else -1. */
static SWI_INLINE void swi_region_end_here(struct sw_profiler *sw, struct swi_thread *thread,
                                           int64_t samples, int64_t now)
{
    if (SWI_UNLIKELY(thread->apart))
        swi_region_end_apart(sw, thread, samples, now);
    else
        swi_region_move(thread, now - thread->frame->start, false, NULL, NULL);
    if (SWI_UNLIKELY(SWI_GET(thread->next_ended) >= thread->fold_at))
        swi_ended_full(sw, thread);
}

/* The same, called. */
void swi_region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                    int64_t now);

/* The innermost region does not count, what ended inside it does. */
void swi_frame_drop(struct swi_thread *thread);

/* Returns the depth of the innermost open region of an action; 0: none is open. */
int swi_frame_of(const struct swi_thread *thread, int action);

/* Leaves out the regions that are open above `depth`; what ended inside them counts. Discarded:
 * they are open inside one that ends, or what happens next leaves them out. Cancelled: nothing else
 * says so. */
void swi_regions_discard(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);
void swi_regions_cancel(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);

/* From a tick on, time counts for this phase. */
void swi_phase_run(struct swi_thread *thread, enum sw_phase phase, int64_t now);

/* After the end of a batch: outside of train and valid it made the phase train. */
static inline void swi_phase_back(struct swi_thread *thread)
{
    enum sw_phase phase = (enum sw_phase)SWI_GET(thread->elapsed.running);
    if (phase != thread->phase)
        swi_thread_phase(thread, phase);
}

/* The same after the end of anything else. */
void swi_phase_restore(struct swi_thread *thread, int64_t now);

/* A draw has left the stack: what ends from now on counts at once, unless a batch is open. */
static inline void swi_draw_left(struct swi_thread *thread)
{
    if (SWI_GET(thread->batch_first) >= 0)
        return;
    thread->at_once = true;
    if (thread->loop)
        swi_phase_back(thread);
}

#endif
