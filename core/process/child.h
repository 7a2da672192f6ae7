/* SPDX-License-Identifier: MIT */
/* child.h - whether this process is a child of the process that opened the profilers.
 *
 * A child has no worker threads, and a lock that another thread held at the fork is never released.
 * So the inherited profilers are off in a child: no call waits and nothing is written. fork() calls
 * the handlers of pthread_atfork(). _Fork() and clone() do not, so a page of memory that the kernel
 * clears in a child is used to detect them. */
#ifndef CORE_PROCESS_CHILD_H
#define CORE_PROCESS_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>

/* 0 in a child that has not noticed yet that it is a child. */
extern __attribute__((visibility("hidden"))) atomic_uchar *swi_process_mark;

/* Returns whether this is a child made by _Fork() or clone(). It is a single load, for the calls of
 * the loop. In a child made by fork() the profilers are off already. */
static inline bool swi_is_copy(void)
{
    return !atomic_load_explicit(swi_process_mark, memory_order_relaxed);
}

/* Returns whether this is any kind of child, including one by vfork(), which shares the memory of
 * its parent. Makes a system call. May be called in a signal handler. */
bool swi_is_child(void);

/* Makes this process the one that measures if it is the first to ask. Returns whether it is a child
 * of the process that measures. */
bool swi_child_claim(void);

/* Lets this child measure for itself from now on: calls become() on one thread only, to make the
 * inherited state usable. */
void swi_child_enter(void (*become)(void));

#endif
