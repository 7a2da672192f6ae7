/* SPDX-License-Identifier: MIT */
/* roomy_thread.h - threads whose stack has room for libraries. A program may limit its stacks to
 * less than they need, with `ulimit -s` or pthread_setattr_default_np(): libdw alone takes 128 KiB.
 */
#ifndef CORE_PROCESS_ROOMY_THREAD_H
#define CORE_PROCESS_ROOMY_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Like pthread_create(), with a stack of at least 1 MiB if there is memory for it. */
static inline int swi_roomy_thread(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    enum { LEAST = 1 << 20 };
    pthread_attr_t attributes;
    size_t size = LEAST;
    if (pthread_attr_init(&attributes) != 0)
        return pthread_create(thread, NULL, run, arg);
    bool small = pthread_attr_getstacksize(&attributes, &size) == 0 && size < LEAST &&
                 pthread_attr_setstacksize(&attributes, LEAST) == 0;
    int rc = small ? pthread_create(thread, &attributes, run, arg) : -1;
    pthread_attr_destroy(&attributes);
    return rc == 0 ? 0 : pthread_create(thread, NULL, run, arg);
}

/* The same with all signals blocked, for a thread of a sink: they are meant for the program's own
 * threads. */
static inline int swi_blocked_thread(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = swi_roomy_thread(thread, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

#endif
