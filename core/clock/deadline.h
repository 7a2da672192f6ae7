/* SPDX-License-Identifier: MIT */
/* deadline.h - waits that end in time, also where clock_gettime() says something else than the
 * clock by which the kernel ends them: under a preloaded library that moves or stops it. */
#ifndef CORE_CLOCK_DEADLINE_H
#define CORE_CLOCK_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct swi_deadline {
    struct timespec at; /* CLOCK_MONOTONIC as clock_gettime() says it */
    int64_t kernel_ns;  /* and as the kernel says it */
};

/* ns: nanoseconds from now. */
struct swi_deadline swi_deadline_in(int64_t ns);

bool swi_deadline_passed(const struct swi_deadline *deadline);

/* Waits for a condition of CLOCK_MONOTONIC, which may also wake without a reason; returns 0, or
 * ETIMEDOUT when the deadline has passed. */
int swi_deadline_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                      const struct swi_deadline *deadline);

#endif
