/* SPDX-License-Identifier: MIT */
/* fold_regions.h - what a begin, an end and a cancel lead to, when they are folded. */
#ifndef CORE_LOOP_FOLD_REGIONS_H
#define CORE_LOOP_FOLD_REGIONS_H

#include "core/loop/state.h"

void swi_fold_begin(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);
/* Ends the innermost region of an action. samples: of a batch. */
void swi_fold_end(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t samples,
                  int64_t now);
/* Ends the innermost region if it is a sibling, and begins the next one. */
void swi_fold_next(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);
/* The innermost region of an action does not count, what ended inside it does. */
void swi_fold_cancel(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);
/* What is open inside the innermost region of an action is discarded. */
void swi_fold_inside(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

#endif
