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

/* Returns whether a thread that has found its state needs no closer look. */
static SWI_INLINE bool swi_is_counted(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    return sw->measured.clock.counter && !sw->measured.looks && !thread->cost.timing_due &&
           !thread->reading && !thread->probe;
}

/* Returns what swi_current.counted must be for such a thread. While it is busy, each call looks
 * closer. */
static inline uint64_t swi_counted_as(const struct sw_profiler *sw, const struct swi_thread *thread,
                                      uint64_t serial)
{
    return SWI_LIKELY(swi_is_counted(sw, thread)) && !swi_current.busy ? serial : 0;
}

/* What a thread counts, or whether its next call is timed, has changed. */
static inline void swi_current_look_again(const struct sw_profiler *sw,
                                          const struct swi_thread *thread)
{
    if (swi_current.thread == thread)
        swi_current.counted = swi_counted_as(sw, thread, swi_current.serial);
}

/* Like swi_current_set(): a signal handler that finds a serial finds its thread. counted: of the
 * entry, by swi_counted_as(). */
static SWI_INLINE void swi_current_exchange(struct swi_known *other, uint64_t counted)
{
    struct swi_known was = {swi_current.serial, swi_current.thread}, is = *other;
    swi_current.serial = swi_current.counted = other->serial = 0;
    atomic_signal_fence(memory_order_release);
    swi_current.thread = is.thread;
    other->thread = was.thread;
    atomic_signal_fence(memory_order_release);
    other->serial = was.serial;
    swi_current.serial = is.serial;
    swi_current.counted = counted;
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
        swi_current_exchange(other, swi_counted_as(sw, other->thread, other->serial));
    return other != NULL;
}

/* Does the same, but only if the thread's next call needs no closer look. */
static SWI_INLINE bool swi_current_recall_counted(struct sw_profiler *sw)
{
    struct swi_known *other = swi_current_other(sw);
    if (!other || swi_current.busy || !swi_is_counted(sw, other->thread))
        return false;
    swi_current_exchange(other, other->serial);
    return true;
}

#endif
