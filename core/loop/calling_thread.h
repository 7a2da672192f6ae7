/* SPDX-License-Identifier: MIT */
/* calling_thread.h - finds the state of the calling thread. */
#ifndef CORE_LOOP_CALLING_THREAD_H
#define CORE_LOOP_CALLING_THREAD_H

#include "core/loop/state.h"

#include <stepwatch/stepwatch.h>

/* Prepares the state of the first thread that calls, and brings the code of its calls into the
 * caches. */
void swi_thread_prepare(struct sw_profiler *sw);

/* Returns the calling thread's state, which its first call registers. Returns NULL if nothing is to
 * be measured: the profiler is paused or has ended, or memory is exhausted. */
struct swi_thread *swi_thread_find(struct sw_profiler *sw);

/* The thread's next call of each profiler looks for its state. */
void swi_known_forget(void);

/* Returns what swi_known.counted must be for a thread that has found its state. While it is busy,
 * each call looks closer. */
static inline uint64_t swi_counted_as(const struct sw_profiler *sw, const struct swi_thread *thread,
                                      uint64_t serial)
{
    const struct swi_measured *measured = &sw->measured;
    bool longer = thread->reading || !measured->clock.counter;
    if (SWI_UNLIKELY(thread->cost.timing_due || thread->probe || swi_current.busy ||
                     measured->clock.set || (longer && measured->leaves_out)))
        return 0;
    return serial | (measured->leaves_out   ? SWI_COUNTED_IN_PART
                     : longer               ? SWI_COUNTED_LONGER
                     : thread == &sw->first ? 0
                                            : SWI_COUNTED_LATER);
}

/* What a thread counts, or whether its next call is timed, has changed. */
static inline void swi_known_look_again(const struct sw_profiler *sw,
                                        const struct swi_thread *thread)
{
    struct swi_known *known = swi_known_of(&sw->measured);
    if (known->thread == thread)
        known->counted = swi_counted_as(sw, thread, known->serial);
}

static inline bool swi_thread_is_known(const struct sw_profiler *sw)
{
    uint64_t serial = atomic_load_explicit(&sw->measured.serial, memory_order_relaxed);
    return SWI_LIKELY(SWI_KNOWN_AT(sw->measured.known_at)->serial == serial &&
                      !swi_is_copied(&sw->measured));
}

/* Returns the calling thread's state, if swi_thread_is_known(). */
static inline struct swi_thread *swi_thread_known(const struct sw_profiler *sw)
{
    return SWI_KNOWN_AT(sw->measured.known_at)->thread;
}

static inline struct swi_thread *swi_thread_get(struct sw_profiler *sw)
{
    return swi_thread_is_known(sw) ? swi_thread_known(sw) : swi_thread_find(sw);
}

/* Returns whether the call needs no closer look, for the kind of thread that the bits say
 * (current_profiler.h): 0: sw->first; else swi_thread_known(). */
static inline bool swi_counted_is(const struct sw_profiler *sw, uint64_t more)
{
    uint64_t serial = atomic_load_explicit(&sw->measured.serial, memory_order_relaxed);
    return SWI_KNOWN_AT(sw->measured.known_at)->counted == (serial | more);
}

/* Returns that for a thread that notes nothing but the event. */
static SWI_INLINE bool swi_later_counted(const struct sw_profiler *sw, int action)
{
    return (swi_counted_is(sw, SWI_COUNTED_IN_PART) && action < SWI_SHAPED_FIRST) ||
           swi_counted_is(sw, SWI_COUNTED_LATER);
}

/* ---- calls in a signal handler that interrupted a slow call of the same thread --------------- */

/* A slow call changes lists, takes locks and allocates, so a region that begins or ends in the
 * middle of it is refused and counted. The fast way does none of that and needs no mark. */

/* Until the end of the block, the calling thread is busy. */
#define SWI_BUSY(sw)                                                                               \
    __attribute__((cleanup(swi_busy_end), unused)) struct sw_profiler *swi_busy_ = (sw);           \
    swi_busy_begin(sw)

static inline void swi_busy_begin(const struct sw_profiler *sw)
{
    swi_current.busy++;
    swi_known_of(&sw->measured)->counted = 0; /* calls of the fast way look closer */
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

/* ---- which thread is the loop's, as of the calls; what is folded follows (fit.h) ------------- */

/* The thread begins an action of the loop: makes it the loop's if there is none. */
void swi_loop_begin(struct sw_profiler *sw, struct swi_thread *thread);

/* The loop's thread has ended or cancelled its fit, or begins another one: there is no loop.
 * Returns how many fits have ended. */
uint64_t swi_loop_leave(struct sw_profiler *sw, struct swi_thread *thread);

/* After that end was noted: from here on, another thread may be the loop's, and all look again. */
void swi_loop_left(struct sw_profiler *sw);

/* ---- calls on a profiler that a parent process opened; in its children it is off ------------- */

/* Turns off a profiler that _Fork() or clone() has copied, as is done after fork(). */
void swi_inherited_off(struct sw_profiler *sw);

/* Handles a call on an inherited profiler. If the process that opened it has ended or is not the
 * parent, this process probably expects to be measured, so a message says once why it is not. */
void swi_inherited_called(struct sw_profiler *sw);
/* Does the same at exit(). */
void swi_inherited_exit(void);

/* Sets err: the profiler belongs to another process. Returns SW_EINVAL. */
int swi_inherited_refuse(const struct sw_profiler *sw, struct sw_error *err);
/* Returns what sw_close() returns: 0 in a child that works for its parent, as nothing is lost. */
int swi_inherited_close(const struct sw_profiler *sw, struct sw_error *err);

/* Starts anew in the child of a fork, where no call was made yet. */
void swi_inherited_child(void);

#endif
