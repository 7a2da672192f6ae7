/* SPDX-License-Identifier: MIT */
/* recording_windows.h - opens and closes the windows in which regions are recorded. */
#ifndef CORE_LOOP_RECORDING_WINDOWS_H
#define CORE_LOOP_RECORDING_WINDOWS_H

#include "core/loop/state.h"

/* Returns whether begins and ends are recorded now. */
static inline bool swi_windows_open(const struct sw_profiler *sw)
{
    return atomic_load_explicit(&sw->recording.open, memory_order_relaxed);
}

/* windowed: by a schedule or on demand; otherwise the window is the whole run. */
void swi_windows_init(struct sw_profiler *sw, const struct sw_schedule *schedule, bool windowed);

/* Before the first region: a window that is open from the start begins. */
void swi_windows_start(struct sw_profiler *sw, int64_t now);

/* Called after a training step and its regions have ended, and before the next region begins, with
 * the fold lock. Returns whether a window ended; then call swi_windows_tell() without the lock. */
bool swi_windows_step(struct sw_profiler *sw, int64_t now);

/* Ends an open window at the end of the run. The caller holds the fold lock and has handed over
 * all regions. Returns whether a window ended; then call swi_windows_tell(). */
bool swi_windows_end(struct sw_profiler *sw, int64_t now);

/* Calls the function of sw_on_window(), if there is one. The caller holds no lock. */
void swi_windows_tell(struct sw_profiler *sw);

/* Asks for a window of `steps` steps after the present one. Any thread may call it. */
void swi_windows_ask(struct sw_profiler *sw, int64_t steps);

/* A window of `steps` steps, which a thread asks for: it begins now if no step is running. */
void swi_windows_capture(struct sw_profiler *sw, const struct swi_thread *thread, int64_t steps);

/* Sends a message at the end of a run if the schedule has recorded nothing. */
void swi_windows_say(struct sw_profiler *sw);

/* ---- requests for a capture from outside: a file that is touched, a signal, another process ---
 */

/* The dispatcher checks for them, so they cost the loop nothing. */

/* Starts to watch. steps: of one capture. file: absolute, or NULL. signal: 0 for none. */
void swi_capture_open(struct sw_profiler *sw, int64_t steps, const char *file, int signal);
void swi_capture_close(struct sw_profiler *sw);

/* Checks for a request. If another thread is doing so, it returns at once. */
void swi_capture_look(struct sw_profiler *sw);

/* ---- regions for sinks (tracing.c) ----------------------------------------------------------- */

/* Appends regions to the trace of their thread if a sink wants each region, and hands the traces
 * over to the sinks. Under the fold lock. */

_Static_assert((int)SWI_TRACED_PHASE == (int)SWI_STAGE_PHASE &&
                   (int)SWI_TRACED_THREAD == (int)SWI_STAGE_THREAD,
               "an event has the place of its thread");

/* What the end of a batch has besides; -1: nothing. */
struct swi_traced_batch {
    int64_t samples;
    int64_t step; /* its number, if it does not follow the one before */
};

/* Appends an event to the thread's trace, with how much its counters have gone up. batch: NULL
 * elsewhere. */
void swi_trace(struct sw_profiler *sw, struct swi_thread *thread, enum sw_region_event event,
               int action, int64_t tick, const struct swi_traced_batch *batch);

/* Starts or stops the tracing of all threads, as the open window and the sinks want it. Regions
 * that are open when a window begins start with it. */
void swi_tracing_look(struct sw_profiler *sw);
/* The same for one. */
void swi_tracing_thread(struct sw_profiler *sw, struct swi_thread *thread);

/* Hands over the traces of all threads as records, the loop's last. */
void swi_regions_hand_over(struct sw_profiler *sw);

#endif
