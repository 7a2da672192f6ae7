/* SPDX-License-Identifier: MIT */
/* recent_profilers.h - lets a thread that uses several profilers in turn find its state in each of
 * them without a lock.
 *
 * The profiler that the thread used last is in swi_current, where each call looks first. The few
 * before it are in swi_current.others and change places with it. A profiler gets a new serial
 * whenever threads must look at it again, so an entry with the right serial is up to date. */
#ifndef CORE_LOOP_RECENT_PROFILERS_H
#define CORE_LOOP_RECENT_PROFILERS_H

#include "core/loop/state.h"

static SWI_INLINE bool swi_is_counted(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    return SWI_GET(sw->measured.plain) && !thread->cost.led;
}

/* Like swi_current_set(): a signal handler that finds a serial finds its thread. */
static SWI_INLINE void swi_current_exchange(struct sw_profiler *sw, struct swi_known *other)
{
    struct swi_known was = {swi_current.serial, swi_current.thread}, is = *other;
    swi_current.serial = swi_current.counted = other->serial = 0;
    atomic_signal_fence(memory_order_release);
    swi_current.thread = is.thread;
    other->thread = was.thread;
    atomic_signal_fence(memory_order_release);
    other->serial = was.serial;
    swi_current.serial = is.serial;
    swi_current.counted = swi_is_counted(sw, is.thread) ? is.serial : 0;
}

/* Returns the calling thread's entry for the profiler; NULL if the thread has not used it before or
 * must look at it again. */
static SWI_INLINE struct swi_known *swi_current_other(const struct sw_profiler *sw)
{
    uint64_t serial = atomic_load_explicit(&sw->measured.serial, memory_order_relaxed);
    for (int i = 0; i < SWI_OTHERS; i++)
        if (swi_current.others[i].serial == serial)
            return swi_is_copy() ? NULL : &swi_current.others[i];
    return NULL;
}

/* Makes the profiler the one that the calling thread used last. Returns false if it has no entry.
 */
static inline bool swi_current_recall(struct sw_profiler *sw)
{
    struct swi_known *other = swi_current_other(sw);
    if (other)
        swi_current_exchange(sw, other);
    return other != NULL;
}

/* Does the same, but only if the thread's next call is not timed and the counter is the clock. */
static SWI_INLINE bool swi_current_recall_counted(struct sw_profiler *sw)
{
    struct swi_known *other = swi_current_other(sw);
    if (!other || !swi_is_counted(sw, other->thread))
        return false;
    swi_current_exchange(sw, other);
    return true;
}

#endif
