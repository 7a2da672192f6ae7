/* SPDX-License-Identifier: MIT */
/* clock_source.h - the two clocks of this machine: the CPU's counter, and those of the kernel. */
#ifndef CORE_CLOCK_CLOCK_SOURCE_H
#define CORE_CLOCK_CLOCK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The functions that read the two clocks. Tests have their own. */
struct swi_clock_source {
    int64_t (*counter)(void *arg);
    int64_t (*kernel_ns)(void *arg);
    void *arg;
    double nominal; /* approximate ns per tick, used until the rate is measured */
};

/* Sets the functions to this machine's. Returns whether its counter can be used: it is invariant,
 * is the kernel's own clock source, and does not trap. */
bool swi_clock_source_init(struct swi_clock_source *source);

/* Returns CLOCK_MONOTONIC in nanoseconds. */
int64_t swi_monotonic_ns(void);

/* Calls clock_gettime(), or the system call if reading the counter traps: the C library would read
 * it. */
void swi_time(clockid_t id, struct timespec *time);

/* Returns whether reading the counter traps in the calling thread: prctl(PR_SET_TSC,
 * PR_TSC_SIGSEGV). */
bool swi_counter_trapped(void);

static inline int64_t swi_counter(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc(); /* <x86intrin.h> is 40,000 lines */
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

#endif
