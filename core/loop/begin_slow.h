/* SPDX-License-Identifier: MIT */
/* begin_slow.h - begins any region: one that needs more than a frame, or the first one of its row.
 */
#ifndef CORE_LOOP_BEGIN_SLOW_H
#define CORE_LOOP_BEGIN_SLOW_H

#include "core/loop/state.h"

/* now: when the region before it ended; 0: reads the clock, as the last step. */
void swi_begin_slow(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

#endif
