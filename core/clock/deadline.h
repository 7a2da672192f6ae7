/* SPDX-License-Identifier: MIT */
/* deadline.h - waits that end in time, even if a preloaded library moves or stops clock_gettime(),
 * so that it differs from the clock with which the kernel ends waits. */
#ifndef CORE_CLOCK_DEADLINE_H
#define CORE_CLOCK_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct swi_deadline {
    struct timespec at; /* CLOCK_MONOTONIC according to clock_gettime() */
    int64_t kernel_ns;  /* and according to the kernel */
};

/* Returns a deadline. ns: nanoseconds from now. */
struct swi_deadline swi_deadline_in(int64_t ns);

bool swi_deadline_passed(const struct swi_deadline *deadline);

/* Waits for a condition that uses CLOCK_MONOTONIC. It may wake up for no reason. Returns 0, or
 * ETIMEDOUT if the deadline has passed. */
int swi_deadline_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                      const struct swi_deadline *deadline);

/* Joins a thread that is about to end. It may still run the destructors of what libraries left in
 * it, which is mostly nothing: so this looks instead of waiting, by a clock that does not jump.
 * false: the deadline has passed, and the thread is still to be joined or detached. */
bool swi_deadline_join(pthread_t thread, const struct swi_deadline *deadline);

#endif
