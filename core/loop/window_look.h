/* SPDX-License-Identifier: MIT */
/* window_look.h - whether the calling thread records regions, and the records of windows. */
#ifndef CORE_LOOP_WINDOW_LOOK_H
#define CORE_LOOP_WINDOW_LOOK_H

#include "core/loop/state.h"

/* Sends the window as it is to the sinks. */
void swi_window_emit(struct sw_profiler *sw, int64_t tick);

/* The calling thread looks whether it records; with the lock of what is measured. */
void swi_window_look(struct sw_profiler *sw, struct swi_thread *thread);

#endif
