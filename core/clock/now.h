/* SPDX-License-Identifier: MIT */
/* now.h - the clock for waits, also for code that does not link with the library: sinks, probes and
 * the command. */
#ifndef CORE_CLOCK_NOW_H
#define CORE_CLOCK_NOW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t swi_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the time since 1970 in nanoseconds; the latest that there is after 2262. */
static inline int64_t swi_wall_ns(void)
{
    struct timespec now;
    int64_t ns;
    clock_gettime(CLOCK_REALTIME, &now);
    bool late = __builtin_mul_overflow((int64_t)now.tv_sec, INT64_C(1000000000), &ns) ||
                __builtin_add_overflow(ns, (int64_t)now.tv_nsec, &ns);
    return late ? INT64_MAX : ns;
}

/* Initialises a condition whose timed waits use that clock. Returns the result of
 * pthread_cond_init(). */
static inline int swi_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int rc = pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return rc;
}

/* Waits for such a condition until a time of that clock. Returns the result of
 * pthread_cond_timedwait(). */
static inline int swi_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    return pthread_cond_timedwait(condition, lock, &until);
}

#endif
