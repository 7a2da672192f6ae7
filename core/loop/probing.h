/* SPDX-License-Identifier: MIT */
/* probing.h - telling a probe which region is innermost. Without a probe nothing is told: the
 * thread's `probe` is NULL, and its begins and ends are as fast as ever. */
#ifndef CORE_LOOP_PROBING_H
#define CORE_LOOP_PROBING_H

#include "core/loop/state.h"

struct sw_probe;

/* Asks whether there is a probe, at the end of sw_open(): what it measured of itself is told to
 * nobody. */
void swi_probe_find(struct sw_profiler *sw);

/* The calling thread's regions are told from now on, if there is a probe. */
void swi_probe_set(const struct sw_profiler *sw, struct swi_thread *thread);

/* The innermost region has just begun, or a region has ended. tick: of the profiler's clock. */
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
