/* SPDX-License-Identifier: MIT */
/* log_fold.h - what a value that was logged leads to. Under the fold lock. */
#ifndef CORE_LOOP_LOG_FOLD_H
#define CORE_LOOP_LOG_FOLD_H

#include "core/loop/state.h"
#include "core/loop/step.h"

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

/* An event of the thread. name: a kept one. */
void swi_log_fold(struct sw_profiler *sw, struct swi_thread *thread, const char *name, double value,
                  int64_t now);

#endif
