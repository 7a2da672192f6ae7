/* SPDX-License-Identifier: MIT */
/* now.h - the clock of waits, also for what links nothing of the library: sinks and the command.
 */
#ifndef CORE_CLOCK_NOW_H
#define CORE_CLOCK_NOW_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t swi_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A condition whose timed waits end by that clock. Returns what pthread_cond_init() does. */
static inline int swi_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int rc = pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return rc;
}

#endif
