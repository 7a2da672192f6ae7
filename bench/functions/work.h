/* SPDX-License-Identifier: MIT */
/* work.h - main() of a program whose calls are timed. With TWO_READS its hooks read the counter,
 * and do nothing else. */
#ifndef BENCH_FUNCTIONS_WORK_H
#define BENCH_FUNCTIONS_WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORK_PLAIN __attribute__((no_instrument_function))

long work(void);

#ifdef TWO_READS
static volatile uint64_t work_tick;

static inline WORK_PLAIN uint64_t work_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_nsec;
#endif
}

WORK_PLAIN void __cyg_profile_func_enter(void *function, void *site);
WORK_PLAIN void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function;
    (void)site;
    work_tick = work_counter();
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
    work_tick = work_counter();
}
#endif

static WORK_PLAIN double work_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Each repeat takes less than a millisecond, so that some of them are not interrupted, however much
 * else the machine does. */
WORK_PLAIN int main(int argc, char **argv)
{
    enum { CALLS = 12000000 };
    double least = 1e18, wanted = argc > 1 ? atof(argv[1]) : CALLS, calls = 0;
    while (calls < wanted) {
        double began = work_now();
        long count = work();
        double each = (work_now() - began) / (double)count;
        least = each < least ? each : least;
        calls += (double)count;
    }
    printf("%.4f\n", least);
    return 0;
}

#endif
