/* SPDX-License-Identifier: MIT */
/* windows.h - opens and closes the windows in which regions are recorded. */
#ifndef CORE_LOOP_WINDOWS_H
#define CORE_LOOP_WINDOWS_H

#include "core/loop/state.h"

/* Whether begins and ends are recorded now. */
static inline bool swi_windows_open(const struct sw_profiler *sw)
{
    return atomic_load_explicit(&sw->recording.open, memory_order_relaxed);
}

/* windowed: by a schedule or on demand; else the window is the whole run. */
void swi_windows_init(struct sw_profiler *sw, const struct sw_schedule *schedule, bool windowed);

/* A training step has ended, and every region of it; no region of the next one has begun. */
void swi_windows_step(struct sw_profiler *sw, int64_t now);

/* The run ends: what is still open ends here. With the lock of the traces, whose regions have all
 * been handed over. Returns whether a window ended, of which swi_windows_tell() tells. */
bool swi_windows_end(struct sw_profiler *sw, int64_t now);

/* Calls the function of sw_on_window(), if there is one. Without any lock. */
void swi_windows_tell(struct sw_profiler *sw);

/* Any thread: the steps after the one that runs are to be recorded. */
void swi_windows_ask(struct sw_profiler *sw, int64_t steps);

/* At the end of a run: says so if the schedule has recorded nothing. */
void swi_windows_say(struct sw_profiler *sw);

#endif
