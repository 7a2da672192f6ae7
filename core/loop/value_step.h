/* SPDX-License-Identifier: MIT */
/* value_step.h - the step of what a program logs: that of the loop, or one of its own. */
#ifndef CORE_LOOP_VALUE_STEP_H
#define CORE_LOOP_VALUE_STEP_H

#include "core/loop/step.h"

/* Returns whether values have steps of their own: no training step has begun, and the program did
 * not say which one is next. If all of them had step 0, viewers would show only the last one. */
static inline bool swi_steps_are_own(struct sw_profiler *sw, const struct swi_thread *thread)
{
    if (SWI_LIKELY(SWI_GET(sw->measured.progress.step) > 0) || swi_step_is_open(thread))
        return false;
    const struct swi_thread *loop = atomic_load(&sw->measured.loop);
    bool other_in_batch = loop && loop != thread && loop->batch_first >= 0;
    return !other_in_batch && SWI_GET(sw->measured.progress.told) == 0;
}

/* Returns the next step of such values: the newest one, or one more if any of these names has a
 * value there. Names that are not kept are NULL. */
int64_t swi_own_step(struct sw_profiler *sw, const char *const *kept, size_t count);

/* Sets the step of a record of a value. kept: the name; NULL: it is not kept. */
void swi_value_step(struct sw_profiler *sw, const struct swi_thread *thread, const char *kept,
                    struct sw_record *record);

/* The same for a step that the program gave. Values without one continue from there. */
void swi_value_step_is(struct sw_profiler *sw, const char *kept, int64_t step,
                       struct sw_record *record);

#endif
