/* SPDX-License-Identifier: MIT */
/* calling_thread.h - finds the state of the calling thread. */
#ifndef CORE_LOOP_CALLING_THREAD_H
#define CORE_LOOP_CALLING_THREAD_H

#include "core/loop/recent_profilers.h"
#include "core/loop/state.h"

/* Prepares the state of the first thread that calls, and brings the code of its calls into the
 * caches. */
void swi_thread_prepare(struct sw_profiler *sw);

/* Returns the calling thread's state, which its first call registers. Returns NULL if nothing is to
 * be measured: the profiler is paused or has ended, or memory is exhausted. */
struct swi_thread *swi_thread_find(struct sw_profiler *sw);

/* Sets which state the calling thread's next call finds at once. sw NULL: none. */
void swi_current_set(struct sw_profiler *sw, struct swi_thread *thread);

static inline bool swi_thread_is_known(const struct sw_profiler *sw)
{
    uint64_t serial = atomic_load_explicit(&sw->measured.serial, memory_order_relaxed);
    return SWI_LIKELY(SWI_CURRENT_AT(sw->measured.current_at)->serial == serial &&
                      !swi_is_copied(&sw->measured));
}

/* Returns the calling thread's state, if swi_thread_is_known(). */
static inline struct swi_thread *swi_thread_known(const struct sw_profiler *sw)
{
    return SWI_CURRENT_AT(sw->measured.current_at)->thread;
}

static inline struct swi_thread *swi_thread_get(struct sw_profiler *sw)
{
    return swi_thread_is_known(sw) ? swi_thread_known(sw) : swi_thread_find(sw);
}

/* Returns whether the calling thread is known, the processor's counter is the clock, and nothing
 * else is read. */
static inline bool swi_thread_counted(const struct sw_profiler *sw)
{
    return SWI_LIKELY(SWI_CURRENT_AT(sw->measured.current_at)->counted ==
                      atomic_load_explicit(&sw->measured.serial, memory_order_relaxed));
}

/* Calls in a signal handler that interrupted a slow call of the same thread.
 *
 * A slow call changes lists, takes locks and allocates, so a region that begins or ends in the
 * middle of it is refused and counted. The fast way does none of that and needs no mark. */

/* Until the end of the block, the calling thread is busy. */
#define SWI_BUSY(sw)                                                                               \
    __attribute__((cleanup(swi_busy_end), unused)) struct sw_profiler *swi_busy_ = (sw);           \
    swi_busy_begin()

static inline void swi_busy_begin(void)
{
    swi_current.busy++;
    swi_current.counted = 0; /* calls of the fast way look closer */
    atomic_signal_fence(memory_order_seq_cst);
}

/* Counts the calls that were refused meanwhile. Apart, so that the end of a step stays short. */
void swi_busy_end(struct sw_profiler *const *sw);

/* Returns whether a call must be refused. A function for messages may call what it likes. */
static inline bool swi_busy_refuses(int action)
{
    if (SWI_LIKELY(!swi_current.busy) || swi_message_is_sent())
        return false;
    swi_current.refused++;
    swi_current.refused_action = action;
    return true;
}

#endif
