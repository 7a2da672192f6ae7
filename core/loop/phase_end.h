/* SPDX-License-Identifier: MIT */
/* phase_end.h - the end of fit, epoch, train and valid. */
#ifndef CORE_LOOP_PHASE_END_H
#define CORE_LOOP_PHASE_END_H

#include "core/loop/state.h"

/* Ends the innermost region, which must be one of these. */
void swi_phase_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* Ends the open fit of the loop's thread, with its report, because the program begins one. That is
 * a misuse if the program began the open one as well. */
void swi_fit_replace(struct sw_profiler *sw, struct swi_thread *thread);

/* Ends the open fit, or a fit of everything that was measured if there was none. Returns its end.
 * No other thread may call it at the same time. */
int64_t swi_fit_close(struct sw_profiler *sw);

#endif
