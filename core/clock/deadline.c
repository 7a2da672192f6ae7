/* SPDX-License-Identifier: MIT */
#include "core/clock/deadline.h"
#include "core/clock/clock.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

static int64_t kernel_ns(void)
{
    struct timespec t = {0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

struct swi_deadline swi_deadline_in(int64_t ns)
{
    struct swi_deadline deadline = {.kernel_ns = kernel_ns() + ns};
    swi_time(CLOCK_MONOTONIC, &deadline.at);
    deadline.at.tv_sec += ns / SECOND_NS;
    deadline.at.tv_nsec += ns % SECOND_NS;
    deadline.at.tv_sec += deadline.at.tv_nsec / SECOND_NS;
    deadline.at.tv_nsec %= SECOND_NS;
    return deadline;
}

bool swi_deadline_passed(const struct swi_deadline *deadline)
{
    return kernel_ns() >= deadline->kernel_ns;
}

int swi_deadline_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                      const struct swi_deadline *deadline)
{
    int rc = pthread_cond_timedwait(condition, lock, &deadline->at);
    if (rc != ETIMEDOUT || swi_deadline_passed(deadline))
        return rc;
    /* clock_gettime() is behind the kernel's clock: sleep briefly and check again. */
    pthread_mutex_unlock(lock);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    pthread_mutex_lock(lock);
    return 0;
}

/* A thread that is at its end takes some microseconds more, much less than the shortest sleep. */
bool swi_deadline_join(pthread_t thread, const struct swi_deadline *deadline)
{
    enum { YIELDS = 100 };
    for (int i = 0; pthread_tryjoin_np(thread, NULL) != 0; i++) {
        if (i < YIELDS) {
            sched_yield();
            continue;
        }
        if (swi_deadline_passed(deadline))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    return true;
}
