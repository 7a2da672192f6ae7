/* SPDX-License-Identifier: MIT */
/* calling_thread.h - finds the state of the calling thread. */
#ifndef CORE_LOOP_CALLING_THREAD_H
#define CORE_LOOP_CALLING_THREAD_H

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

#endif
