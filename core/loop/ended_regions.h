/* SPDX-License-Identifier: MIT */
/* ended_regions.h - the list of regions that ended and are not in their rows yet: folding it into
 * them without the end of a step. */
#ifndef CORE_LOOP_ENDED_REGIONS_H
#define CORE_LOOP_ENDED_REGIONS_H

#include "core/loop/state.h"

/* The list is as long as fold_at. */
void swi_ended_full(struct sw_profiler *sw, struct swi_thread *thread);

/* Folds everything that is left. */
void swi_ended_fold(struct sw_profiler *sw, struct swi_thread *thread);

/* All of the list is in the rows. */
static SWI_INLINE void swi_ended_clear(struct swi_thread *thread)
{
    swi_ended_count_set(thread, 0);
    SWI_SET(thread->batch_first, -1);
    thread->at_once = true;
    thread->fold_at = SWI_GET(thread->ended) + SWI_FOLD;
}

/* No batch follows a draw: what ended in it, and is in the list from `first` on, counts now. */
void swi_drawn_count(struct swi_thread *thread, uint32_t first);

/* A batch that began at `first` is discarded with what ended in it; UINT32_MAX: only draws that no
 * batch followed. */
void swi_ended_discard(struct swi_thread *thread, uint32_t first);

#endif
