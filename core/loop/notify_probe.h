/* SPDX-License-Identifier: MIT */
/* notify_probe.h - tells a probe which region is innermost. Without a probe, the thread's `probe`
 * is NULL, and begin and end cost nothing more. */
#ifndef CORE_LOOP_NOTIFY_PROBE_H
#define CORE_LOOP_NOTIFY_PROBE_H

#include "core/loop/state.h"

struct sw_probe;

/* Asks the probe for what the configuration wants: how the times of functions are taken, and how
 * often a second; NULL and 0: as the probe does it. Says where it cannot. */
void swi_probe_choose(struct sw_profiler *sw, const char *times, int rate);

/* Looks for a probe at the end of sw_open(), so that the probe does not see what sw_open() does. */
void swi_probe_find(struct sw_profiler *sw);

/* Reports the calling thread's regions to the probe from now on, if there is one. */
void swi_probe_set(const struct sw_profiler *sw, struct swi_thread *thread);

/* Tell the probe that the innermost region has just begun, or that a region has ended. tick: of the
 * profiler's clock. */
void swi_probe_tell_begin(const struct sw_profiler *sw, const struct swi_thread *thread,
                          int64_t tick);
void swi_probe_tell_end(const struct sw_profiler *sw, const struct swi_thread *thread,
                        int64_t tick);

static inline void swi_probe_begin(const struct sw_profiler *sw, const struct swi_thread *thread,
                                   int64_t tick)
{
    if (SWI_UNLIKELY(thread->probe != NULL))
        swi_probe_tell_begin(sw, thread, tick);
}

static inline void swi_probe_end(const struct sw_profiler *sw, const struct swi_thread *thread,
                                 int64_t tick)
{
    if (SWI_UNLIKELY(thread->probe != NULL))
        swi_probe_tell_end(sw, thread, tick);
}

#endif
