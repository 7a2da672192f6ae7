/* SPDX-License-Identifier: MIT */
/* end_slow.h - ends any region: a batch, a fit, one around others that are still open. */
#ifndef CORE_LOOP_END_SLOW_H
#define CORE_LOOP_END_SLOW_H

#include "core/loop/state.h"

/* Ends the innermost region of an action. samples: of a batch. */
void swi_end_slow(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t samples,
                  int64_t now);

/* The same for what may be a plain region whose duration is not usual. */
void swi_end_closer(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

/* Returns whether an end has no begin because that was ignored, or because there was no room for
 * it. */
bool swi_end_is_ignored(struct sw_profiler *sw, struct swi_thread *thread, int action);

/* Makes the innermost open region of an action, which is cancelled, the innermost of all. Returns
 * false if there is none. */
bool swi_cancelled_uncover(struct sw_profiler *sw, struct swi_thread *thread, int action,
                           int64_t now);

#endif
