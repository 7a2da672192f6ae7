/* SPDX-License-Identifier: MIT */
/* child.h - whether this process is a child of the one that opened the profilers.
 *
 * A child has no worker threads, and a lock that another thread held at the fork is held for ever.
 * So in a child the inherited profilers are off: no call waits, and nothing is written. fork()
 * tells us (pthread_atfork). _Fork() and clone() do not: there a page that the kernel clears in a
 * child tells. */
#ifndef CORE_PROCESS_CHILD_H
#define CORE_PROCESS_CHILD_H

#include <stepwatch/stepwatch.h>

#include <stdatomic.h>
#include <stdbool.h>

/* 0 in a child that nothing has told yet. */
extern __attribute__((visibility("hidden"))) atomic_uchar *swi_process_mark;

/* Whether this is a child by _Fork() or clone(). One load: for calls of the loop. A child by fork()
 * has its profilers off already. */
static inline bool swi_is_copy(void)
{
    return !atomic_load_explicit(swi_process_mark, memory_order_relaxed);
}

/* The same for every child, by vfork() as well, which shares the parent's memory. A system call;
 * may be called in a signal handler. */
bool swi_is_child(void);

/* From now on this process measures itself: makes the locks of a child usable, and turns inherited
 * profilers off. Does nothing in the process that did so before. */
void swi_process_enter(void);

/* Turns a profiler off that _Fork() or clone() has copied, as fork() does. */
void swi_child_off(struct sw_profiler *sw);

/* A call on an inherited profiler: where its process has ended, or is not the parent, this one
 * probably means to measure on, and is told once why it does not. */
void swi_child_called(struct sw_profiler *sw);
/* The same at exit(). */
void swi_child_exit(void);

/* Says in err that the profiler is of another process. Returns SW_EINVAL. */
int swi_child_refuse(const struct sw_profiler *sw, struct sw_error *err);
/* What sw_close() answers: 0 in a child that works for its parent, where nothing is lost. */
int swi_child_close(const struct sw_profiler *sw, struct sw_error *err);

#endif
