/* SPDX-License-Identifier: MIT */
/* now.h - the clock for waits, also for code that does not link with the library: sinks, probes and
 * the command. */
#ifndef CORE_CLOCK_NOW_H
#define CORE_CLOCK_NOW_H

#include <stepwatch/sink.h>

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

/* ---- how long a program that ends still waits for its sinks ---- */

/* Records may have waited in a sink's queue since the end began, and after a crash there is little
 * time. Returns 0 if the deadline is unknown: an older core does not tell it. */
static inline int64_t swi_end_deadline_ns(const struct sw_end *end)
{
    return SW_HAS(end->size, end, deadline_ns) ? end->deadline_ns : 0;
}

/* deadline_ns: as above; 0 also without a record of the end, when the close has just begun. */
static inline int64_t swi_end_left_ns(const struct sw_run *run, int64_t deadline_ns)
{
    int64_t left = deadline_ns - swi_now_ns();
    if (deadline_ns)
        return left > 0 ? left : 0;
    return SW_HAS(run->size, run, close_timeout_ns) ? run->close_timeout_ns : INT64_C(5000000000);
}

#endif
