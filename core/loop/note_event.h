/* SPDX-License-Identifier: MIT */
/* note_event.h - how a thread notes an event. Only the thread itself, and signal handlers on it,
 * call these.
 *
 * A place for an event is taken before it is filled, so a handler that interrupts the thread in
 * between takes the next one. Whoever folds the events stops at a place that is not filled. */
#ifndef CORE_LOOP_NOTE_EVENT_H
#define CORE_LOOP_NOTE_EVENT_H

#include "core/loop/state.h"

/* The thread's chunk is full: takes another one. If there are too many, it folds some. */
SWI_NOINLINE void swi_stream_grow(struct swi_thread *thread);

/* Takes the place of an event with so many slots: in one instruction, so that a signal handler
 * takes another one. No other thread does, so it needs no lock of the bus. */
static SWI_INLINE struct swi_event *swi_event_take(struct swi_thread *thread, int slots)
{
    uintptr_t bytes = (uintptr_t)slots * sizeof(struct swi_event);
#if defined(__x86_64__) && !defined(SWI_SANITIZED)
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(thread->next) : : "memory", "cc");
#else
    bytes = (uintptr_t)__atomic_fetch_add((uintptr_t *)&thread->next, bytes, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
#endif
    return (struct swi_event *)bytes;
}

static SWI_INLINE void swi_event_fill(struct swi_event *event, int64_t tick, uint64_t what)
{
    event->tick = tick;
    atomic_store_explicit(&event->what, what, memory_order_release);
}

/* Call it as the last thing of a call. */
static SWI_INLINE void swi_event_done(struct swi_thread *thread, const struct swi_event *event,
                                      int slots)
{
    if (SWI_UNLIKELY(event + slots >= thread->limit))
        swi_stream_grow(thread);
}

static SWI_INLINE void swi_note_event(struct swi_thread *thread, int64_t tick, uint64_t what)
{
    struct swi_event *event = swi_event_take(thread, 1);
    swi_event_fill(event, tick, what);
    swi_event_done(thread, event, 1);
}

/* An event with one number behind it. */
static SWI_INLINE void swi_note_number(struct swi_thread *thread, int64_t tick, uint64_t what,
                                       int64_t number)
{
    struct swi_event *event = swi_event_take(thread, 2);
    swi_event_fill(event + 1, number, SWI_EVENT_PART);
    swi_event_fill(event, tick, what);
    swi_event_done(thread, event, 2);
}

/* An event with what was read of the counters, if the thread has any. */
void swi_note_read(struct swi_thread *thread, int64_t tick, uint64_t what);

#endif
