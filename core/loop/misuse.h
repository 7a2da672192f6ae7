/* SPDX-License-Identifier: MIT */
/* misuse.h - calls that did not fit: each is said once and counted for the report. */
#ifndef CORE_LOOP_MISUSE_H
#define CORE_LOOP_MISUSE_H

#include "core/loop/state.h"

/* Counts one, and says it where it is the first of its kind for this action. Any thread. */
void swi_misuses_add(struct sw_profiler *sw, enum swi_misuse kind, int action, int other);

/* The same for a call of a thread, among whose misuses it is. */
void swi_misuse(struct sw_profiler *sw, struct swi_thread *thread, enum swi_misuse kind, int action,
                int other);

#endif
