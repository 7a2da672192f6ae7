/* SPDX-License-Identifier: MIT */
/* child.h - whether this process is a child of the one that opened the profilers.
 *
 * A child has no worker threads, and a lock that another thread held at the fork is held for ever.
 * So in a child the inherited profilers are off: no call waits, and nothing is written. fork()
 * tells us (pthread_atfork). _Fork() and clone() do not: there a page that the kernel clears in a
 * child tells. */
#ifndef CORE_PROCESS_CHILD_H
#define CORE_PROCESS_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>

/* 0 in a child that has not noticed yet that it is one. */
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

/* The first process to ask becomes the one that measures. Whether the caller is a child of it. */
bool swi_child_claim(void);

/* This child measures for itself from now on: calls become(), on one thread only, which makes
 * usable what was copied. */
void swi_child_enter(void (*become)(void));

#endif
