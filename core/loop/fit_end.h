/* SPDX-License-Identifier: MIT */
/* fit_end.h - what happens when a fit or an epoch has ended, and its report. */
#ifndef CORE_LOOP_FIT_END_H
#define CORE_LOOP_FIT_END_H

#include "core/loop/state.h"

void swi_fit_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
void swi_epoch_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

#endif
