/* SPDX-License-Identifier: MIT */
/* recording_thread.h - makes the calling thread record regions, and sends the records of windows.
 */
#ifndef CORE_LOOP_RECORDING_THREAD_H
#define CORE_LOOP_RECORDING_THREAD_H

#include "core/loop/state.h"

/* Sends the window in its present state to the sinks. */
void swi_window_emit(struct sw_profiler *sw, int64_t tick);

/* Makes the calling thread record, or not. The caller holds the lock of what is measured. */
void swi_recording_thread_look(struct sw_profiler *sw, struct swi_thread *thread);

#endif
