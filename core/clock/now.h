/* SPDX-License-Identifier: MIT */
/* now.h - the clock of waits, for what links nothing of the library: sinks and the command. */
#ifndef CORE_CLOCK_NOW_H
#define CORE_CLOCK_NOW_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t swi_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
