/* SPDX-License-Identifier: MIT */
/* postpone_step.h - which steps wait before they go into their rows (core/rows/waiting_steps.h). */
#ifndef CORE_LOOP_POSTPONE_STEP_H
#define CORE_LOOP_POSTPONE_STEP_H

#include "core/loop/step_regions.h"

/* Returns whether a step was so long that its own work has filled the caches: about 15 us or more.
 */
static inline bool swi_step_is_cold(const struct sw_profiler *sw, const struct swi_step *step)
{
    return step->batch > SWI_GET(sw->measured.clock.second) >> 16;
}

/* Returns whether a step can wait. A step that ends the window cannot, nor one that needs a closer
 * look. */
bool swi_step_can_be_postponed(const struct sw_profiler *sw, const struct swi_thread *thread,
                               const struct swi_step *step);

/* Copies a step to those that wait. In the middle of a change. */
void swi_step_postpone(struct swi_waiting_steps *waiting, const struct swi_step *step);

/* Returns a step that waits, whose regions begin at region `at`. */
struct swi_step swi_waiting_step_at(struct swi_waiting_steps *waiting, uint32_t number,
                                    uint32_t at);

/* Forgets all steps that wait, because they are in their rows. In the middle of a change. */
void swi_waiting_clear(struct swi_waiting_steps *waiting);

#endif
