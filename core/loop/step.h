/* SPDX-License-Identifier: MIT */
/* step.h - the end of a region and of a step: what they add to the rows. Under the fold lock. */
#ifndef CORE_LOOP_STEP_H
#define CORE_LOOP_STEP_H

#include "core/loop/state.h"

/* Limits a step so that step + 1 does not overflow in a sink, and every JSON reader keeps the
 * number. */
#define SWI_STEP_MAX (INT64_C(1) << 52)

/* Returns whether a draw or batch of training is open. thread: the calling one; NULL: none is
 * measured. */
static inline bool swi_step_is_open(const struct swi_thread *thread)
{
    return thread && thread->phase != SW_PHASE_VALID &&
           (thread->batch_first >= 0 || thread->drawing);
}

/* What belongs to no step by itself: in an open draw or batch it is the step that comes next, else
 * the last one. Before the first step of the run has ended, it is what sw_set_step() said, except
 * during validation. thread: the calling one; NULL: none is measured. */
static inline int64_t swi_step_current(const struct sw_profiler *sw,
                                       const struct swi_thread *thread)
{
    int64_t next = SWI_GET(sw->measured.progress.step);
    bool was_set = next + 1 == SWI_GET(sw->measured.progress.set_step) &&
                   !(thread && thread->phase == SW_PHASE_VALID);
    return next == 0 || was_set || swi_step_is_open(thread) ? next : next - 1;
}

/* Returns whether the next batch is one that drop_first_batch leaves out: the first of its phase.
 * Outside of train and valid, a batch belongs to train. */
static inline bool swi_is_left_out(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    enum sw_phase phase = thread->phase == SW_PHASE_VALID ? SW_PHASE_VALID : SW_PHASE_TRAIN;
    return sw->measured.chosen.drop && sw->loop.batches[phase] == 0;
}

/* Ends the innermost region, whatever it is: adds it to its row, or to what waits for the end of
 * its step. samples: of a batch; else -1. */
void swi_region_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t samples,
                    int64_t now);

/* Adds a region that was never on the stack: it had ended before anything else began. */
void swi_leaf_end(struct sw_profiler *sw, struct swi_thread *thread, struct swi_row *row,
                  int64_t ticks);

/* The batch has ended and is the last of the regions that wait; its own began at `first`. */
void swi_step_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                  int64_t samples, int64_t now);
/* A batch that began at `first` is cancelled: what ended in it counts, without rates. */
void swi_step_cancel(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                     int64_t now);
/* The open batch has more regions than may wait: those so far are added without rates. */
void swi_step_shorten(struct sw_profiler *sw, struct swi_thread *thread);

/* drop_first_batch leaves out a region with this self time. */
static inline void swi_dropped_add(struct sw_profiler *sw, int64_t self)
{
    sw->measured.progress.dropped_ticks += self;
}

/* Counts steps from 0 again, where an epoch, train or valid begins, ends or is cancelled. */
static inline void swi_steps_restart(struct sw_profiler *sw, int action)
{
    struct swi_loop *loop = &sw->loop;
    if (action == SW_EPOCH || action == SW_TRAIN)
        loop->not_of_epoch[SW_PHASE_TRAIN] = loop->batches[SW_PHASE_TRAIN];
    if (action == SW_EPOCH || action == SW_VALID)
        loop->not_of_epoch[SW_PHASE_VALID] = loop->batches[SW_PHASE_VALID];
}

/* Returns how many steps the open epoch, or the open train or valid, has done. */
static inline int64_t swi_steps_of_epoch(const struct sw_profiler *sw, enum sw_phase phase)
{
    return sw->loop.batches[phase] - sw->loop.not_of_epoch[phase];
}

/* ---- the step of what a program logs: that of the loop, or one of its own (log_number.c) ----- */

/* Returns whether values have steps of their own: no training step has begun, and the program did
 * not say which one is next. If all of them had step 0, viewers would show only the last one. */
static inline bool swi_steps_are_own(struct sw_profiler *sw, const struct swi_thread *thread)
{
    if (SWI_LIKELY(SWI_GET(sw->measured.progress.step) > 0) || swi_step_is_open(thread))
        return false;
    const struct swi_thread *loop = atomic_load(&sw->measured.loop);
    bool other_in_batch = loop && loop != thread && loop->batch_first >= 0;
    return !other_in_batch && SWI_GET(sw->measured.progress.set_step) == 0;
}

/* Returns the next step of such values: the newest one, or one more if any of these names has a
 * value there. Names that are not interned are NULL. */
int64_t swi_own_step(struct sw_profiler *sw, const char *const *interned, size_t count);

/* Sets the step of a record of a value. interned: the name; NULL: it is not interned. */
void swi_value_step(struct sw_profiler *sw, const struct swi_thread *thread, const char *interned,
                    struct sw_record *record);

/* Sends the values that wait for the end of the step. A batch that ends without one does so while
 * it is open: they belong to the step that it would have been. */
static inline void swi_values_send(struct sw_profiler *sw, const struct swi_thread *thread,
                                   int64_t now)
{
    swi_recorder_values(&sw->records, &sw->loop.values, swi_step_current(sw, thread), now);
}

/* Folds an event of the thread with the number of a name, and the value behind it. */
void swi_log_fold(struct sw_profiler *sw, const struct swi_thread *thread,
                  const struct swi_event *event, int number);

#endif
