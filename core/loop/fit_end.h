/* SPDX-License-Identifier: MIT */
/* fit_end.h - the end of fit, epoch, train and valid, and the reports of a fit and of an epoch.
 * Under the fold lock. */
#ifndef CORE_LOOP_FIT_END_H
#define CORE_LOOP_FIT_END_H

#include "core/loop/state.h"

/* Ends the innermost region, which must be one of these. */
void swi_phase_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* Ends the open fit of the loop's thread, with its report, because the program begins one. That is
 * a misuse if the program began the open one as well. */
void swi_fit_replace(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* Ends the open fit, or a fit of everything that was measured if there was none. Returns its end.
 */
int64_t swi_fit_close(struct sw_profiler *sw);

#endif
