/* SPDX-License-Identifier: MIT */
/* calling_thread.h - which state belongs to the calling thread. */
#ifndef CORE_LOOP_CALLING_THREAD_H
#define CORE_LOOP_CALLING_THREAD_H

#include "core/loop/state.h"

/* Has what the first thread needs that calls ready, and warms what it calls. */
void swi_thread_prepare(struct sw_profiler *sw);

/* Returns the calling thread's state, registered at its first call; NULL where nothing is to be
 * measured (paused, dead, no memory). */
struct swi_thread *swi_thread_find(struct sw_profiler *sw);

/* Whose state the calling thread's next call finds at once; sw NULL: nobody's. */
void swi_current_set(struct sw_profiler *sw, struct swi_thread *thread);

static inline bool swi_thread_is_known(const struct sw_profiler *sw)
{
    uint64_t serial = atomic_load_explicit(&sw->measured.serial, memory_order_relaxed);
    return SWI_LIKELY(SWI_CURRENT_AT(sw->measured.current_at)->serial == serial && !swi_is_copy());
}

/* Its thread's state where the calling thread is known. */
static inline struct swi_thread *swi_thread_known(const struct sw_profiler *sw)
{
    return SWI_CURRENT_AT(sw->measured.current_at)->thread;
}

static inline struct swi_thread *swi_thread_get(struct sw_profiler *sw)
{
    return swi_thread_is_known(sw) ? swi_thread_known(sw) : swi_thread_find(sw);
}

/* Whether it is there, and the counter is the clock. */
static inline bool swi_thread_counted(const struct sw_profiler *sw)
{
    return SWI_LIKELY(SWI_CURRENT_AT(sw->measured.current_at)->counted ==
                      atomic_load_explicit(&sw->measured.serial, memory_order_relaxed));
}

#endif
