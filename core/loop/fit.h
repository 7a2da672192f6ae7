/* SPDX-License-Identifier: MIT */
/* fit.h - which thread is the loop's, and the begin and the end of fit, epoch, train and valid,
 * with the reports of a fit and of an epoch. Under the fold lock. */
#ifndef CORE_LOOP_FIT_H
#define CORE_LOOP_FIT_H

#include "core/loop/state.h"

/* The first region since the last fit begins on the thread. */
void swi_fit_first_begin(struct swi_thread *thread, int64_t now);

/* Makes the thread the loop's if there is none yet. action: the action of the loop that begins on
 * it. */
void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now);

/* Returns whether a fit that the thread is given lies around all that it has open. */
bool swi_fit_is_around(const struct swi_thread *thread);

void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start);

/* For the findings: an epoch, train or valid begins or ends. */
static inline void swi_fit_findings_cut(struct sw_profiler *sw, int action, bool begins)
{
    if (sw->measured.newest && action != SW_FIT)
        swi_newest_steps_cut(sw->measured.newest, begins);
}

/* Ends the innermost region, which must be one of these four. */
void swi_phase_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* Ends the open fit of the loop's thread, with its report. Its region may be gone: a pause on
 * another thread discards it, and a second begin of a builtin action around it. */
void swi_fit_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* The same, because the program begins one. That is a misuse if the program began the open one as
 * well. */
void swi_fit_replace(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* Ends the open fit, or a fit of everything that was measured if there was none. Returns its end.
 */
int64_t swi_fit_close(struct sw_profiler *sw);

#endif
