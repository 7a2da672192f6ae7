/* SPDX-License-Identifier: MIT */
/* fit.h - which thread is the loop's, and what happens when a fit or an epoch begins or ends. */
#ifndef CORE_LOOP_FIT_H
#define CORE_LOOP_FIT_H

#include "core/loop/state.h"

/* Makes the calling thread the loop's if there is none yet. action: the action of the loop that
 * begins on it. */
void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action);

void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start);
void swi_fit_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
void swi_epoch_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

#endif
