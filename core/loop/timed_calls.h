/* SPDX-License-Identifier: MIT */
/* timed_calls.h - times calls of the loop while the program runs, for core/rows/cost.h
 * (note_event.c).
 *
 * Calls that are not timed pay nothing: while a thread is sampled, swi_known.counted is 0, which
 * sends its calls to the same functions as all calls that need a closer look. Those time the very
 * function that the program called, by calling it again. What becomes of the events is not in it:
 * that is rare work where the thread itself folds them, and else time of another thread. */
#ifndef CORE_LOOP_TIMED_CALLS_H
#define CORE_LOOP_TIMED_CALLS_H

#include "core/loop/calling_thread.h"

/* Ticks that timing an empty call takes. */
int64_t swi_timing_cost(const struct sw_profiler *sw);

static SWI_INLINE void swi_clock_fence(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* Read after all earlier instructions and before all later ones. */
static SWI_INLINE int64_t swi_now_before(const struct sw_profiler *sw)
{
    swi_clock_fence();
    int64_t now = swi_cost_now(&sw->measured.clock);
    swi_clock_fence();
    return now;
}

/* Read after all earlier instructions. */
static SWI_INLINE int64_t swi_now_after(const struct sw_profiler *sw)
{
    swi_clock_fence();
    return swi_cost_now(&sw->measured.clock);
}

/* Returns whether the call has to be timed. */
static inline bool swi_is_timed(const struct swi_thread *thread)
{
    return SWI_UNLIKELY(thread->cost.timing_due);
}

/* Returns the calling thread's state. *entered: the time, read as early as possible; 0 if the clock
 * is slow to read, or if the state had to be found, which is timed separately. */
static inline struct swi_thread *swi_thread_entered(struct sw_profiler *sw, int64_t *entered)
{
    bool known = swi_thread_is_known(sw);
    *entered = known && sw->measured.clock.counter ? swi_counter() : 0;
    return known ? swi_thread_known(sw) : swi_thread_find(sw);
}

/* Before and after a timed call. */
void swi_timed_begin(struct sw_profiler *sw, struct swi_thread *thread, int64_t entered,
                     struct swi_timed_call *call);
void swi_timed_end(struct sw_profiler *sw, struct swi_thread *thread,
                   const struct swi_timed_call *call, bool begun);

/* Times the expression `done`. begun: an expression that says afterwards whether it began a region;
 * it may use `call`. */
#define SWI_TIMED(sw, thread, entered, done, begun)                                                \
    do {                                                                                           \
        struct swi_timed_call call;                                                                \
        swi_timed_begin(sw, thread, entered, &call);                                               \
        call.began = swi_now_before(sw);                                                           \
        done;                                                                                      \
        call.ended = swi_now_after(sw);                                                            \
        swi_timed_end(sw, thread, &call, begun);                                                   \
    } while (0)

/* A fit begins or has ended, as of the thread's own calls: the next call is timed. */
void swi_sampling_restart(struct sw_profiler *sw, struct swi_thread *thread);

/* Notes rare work of the calling thread (struct swi_fold_lock). */
void swi_timed_rare(void *profiler, struct swi_thread *thread, int64_t ticks);

/* A batch has ended whose end looks closer: a window ends, or has to be looked at. */
void swi_sampling_batch_ended(struct sw_profiler *sw, struct swi_thread *thread);

/* How many batches end before one looks closer: sets it anew. */
void swi_sampling_wait(struct sw_profiler *sw, struct swi_thread *thread);

#endif
