/* SPDX-License-Identifier: MIT */
/* clock.h - ticks, and what they are in nanoseconds.
 *
 * A tick is one of the time stamp counter where the kernel trusts that (it steps at a constant rate
 * and alike on all CPUs), else a nanosecond of CLOCK_MONOTONIC, or of a clock that was set. Only
 * differences and swi_clock_ns() have a meaning outside. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct swi_clock {
    /* Read at every begin and end. */
    bool counter;      /* the CPU's counter is read */
    sw_clock_fn *read; /* else this: CLOCK_MONOTONIC, or a clock that was set */
    void *arg;

    pthread_mutex_t lock; /* for what follows */
    int64_t origin_tick;  /* the first pair of counter and CLOCK_MONOTONIC_RAW */
    int64_t origin_ns;
    int64_t anchor_tick; /* from here on time runs with `slope`, continued without a step */
    double anchor_ns;
    double slope;    /* ns per tick for times: overall rate and what brings it back on track */
    double rate;     /* ns per tick for durations: overall */
    int64_t next_ns; /* when to compare the clocks again, ns since the origin */
};

/* Starts the clock: time 0 is now. */
void swi_clock_init(struct swi_clock *clock);
void swi_clock_fini(struct swi_clock *clock);

/* Another clock; time 0 is what it says now. */
void swi_clock_set(struct swi_clock *clock, sw_clock_fn *read, void *arg);

/* Nanoseconds in a tick, by what is known now. Compares the clocks anew when that is due. Any
 * thread. */
double swi_clock_rate(struct swi_clock *clock);

/* A tick as nanoseconds since the start. Never steps, never goes back. Any thread. */
int64_t swi_clock_ns(struct swi_clock *clock, int64_t tick);

/* CLOCK_MONOTONIC. */
int64_t swi_monotonic_ns(void);

/* Whether this machine's counter can be used: invariant, and the kernel's own clock source. */
bool swi_counter_usable(void);

static inline int64_t swi_counter(void)
{
#if defined(__x86_64__)
    return (int64_t)__rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

static inline int64_t swi_clock_tick(const struct swi_clock *clock)
{
    if (__builtin_expect(clock->counter, 1))
        return swi_counter();
    return clock->read(clock->arg);
}

#endif
