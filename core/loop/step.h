/* SPDX-License-Identifier: MIT */
/* step.h - the end of a step: its regions get their rates and go into the rows. Under the fold
 * lock. */
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
void swi_steps_restart(struct sw_profiler *sw, int action);

/* Returns how many steps the open epoch, or the open train or valid, has done. */
int64_t swi_steps_of_epoch(const struct sw_profiler *sw, enum sw_phase phase);

/* ---- what a value that was logged leads to. Under the fold lock ------------------------------ */

/* The step of what a program logs: that of the loop, or one of its own. */

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
 * value there. Names that are not kept are NULL. */
int64_t swi_own_step(struct sw_profiler *sw, const char *const *kept, size_t count);

/* Sets the step of a record of a value. kept: the name; NULL: it is not kept. */
void swi_value_step(struct sw_profiler *sw, const struct swi_thread *thread, const char *kept,
                    struct sw_record *record);

/* A value on its way into a record. */
struct swi_logged {
    const char *name;         /* kept, or that of `own` */
    struct swi_own_name *own; /* NULL: the name is kept */
    double value;
    int64_t step; /* SWI_STEP_OF_LOOP: where the loop is */
};
#define SWI_STEP_OF_LOOP INT64_C(-1)

/* The step of a value is one of its own: it gets its own record, as a value from another thread
 * does.
 */
void swi_log_alone(struct sw_profiler *sw, const struct swi_thread *thread,
                   const struct swi_logged *logged, int64_t now);

/* A value of the loop's thread goes with its step. name: a kept one, or one of
 * sw->loop.values.own_names. */
void swi_log_in_loop(struct sw_profiler *sw, const struct swi_thread *thread, const char *name,
                     double value, int64_t now);

/* Sends the values that wait for the end of the step. A batch that ends without one does so while
 * it is open: they belong to the step that it would have been. */
void swi_values_send(struct sw_profiler *sw, const struct swi_thread *thread, int64_t now);

/* An event of the thread. name: a kept one. */
void swi_log_fold(struct sw_profiler *sw, struct swi_thread *thread, const char *name, double value,
                  int64_t now);

#endif
