/* SPDX-License-Identifier: MIT */
/* ticks.h - the counter that the hooks read. */
#ifndef PROBES_FUNCTIONS_TICKS_H
#define PROBES_FUNCTIONS_TICKS_H

#include <stdint.h>
#include <time.h>

static inline int64_t fn_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t fn_now(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return fn_monotonic_ns();
#endif
}

#endif
