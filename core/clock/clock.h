/* SPDX-License-Identifier: MIT */
/* clock.h - ticks, and what they are in nanoseconds.
 *
 * A tick is one of the time stamp counter where the kernel trusts that (it steps at a constant rate
 * and alike on all CPUs), else a nanosecond of CLOCK_MONOTONIC, or of a clock that was set. Only
 * differences and swi_clock_ns() have a meaning outside.
 *
 * The counter may still be stopped, set or left running where CLOCK_MONOTONIC is not: by a suspend,
 * by a virtual machine that moves or sleeps. That is a gap. It is found by looking at both clocks
 * now and then; the rate is made of what lies between two gaps, and who measures across one takes
 * it out of what it measures. */
#ifndef CORE_CLOCK_CLOCK_H
#define CORE_CLOCK_CLOCK_H

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Counter and CLOCK_MONOTONIC went on by different amounts, somewhere between two looks at them. */
struct swi_gap {
    int64_t after; /* what was read after the gap is more than this */
    bool set_back; /* the counter was set back: ticks from before may be more as well */
    int64_t shift; /* added to a tick from before: what it would have been by the counter now */
};
enum { SWI_GAPS_KEPT = 16, SWI_COURSES_KEPT = 32 };

/* A course of time: from this tick on it runs with this slope. */
struct swi_course {
    int64_t tick;
    double ns;
    double slope; /* ns per tick: the overall rate and what brings it back on track */
};

/* Where the two clocks are read to be compared: tests have their own. */
struct swi_clock_source {
    int64_t (*counter)(void *arg);
    int64_t (*kernel_ns)(void *arg);
    void *arg;
    double nominal; /* ns per tick as long as nothing was measured, roughly */
};

struct swi_clock {
    /* Read at every begin and end. */
    bool counter;      /* the CPU's counter is read */
    sw_clock_fn *read; /* else this: CLOCK_MONOTONIC, or a clock that was set */
    void *arg;

    /* Read without the lock. */
    atomic_llong looked; /* the tick at which both clocks were looked at last */
    atomic_llong second; /* ticks in a second, roughly */
    atomic_uint gaps;    /* found so far */
    atomic_uint looks;   /* at both clocks, so far */

    pthread_mutex_t lock; /* for what follows; the clocks are read without it */
    struct swi_clock_source source;
    struct swi_gap gap[SWI_GAPS_KEPT];
    int64_t looked_ns;
    int64_t back_ns;    /* added to the kernel's clock: what it went back, which it should not */
    int64_t first_ns;   /* of the kernel's clock, is time 0 */
    int64_t begin_tick; /* the first close pair of both clocks since the last gap */
    int64_t begin_ns;
    int64_t close_tick; /* the last */
    int64_t close_ns;
    int64_t past_ticks; /* between the close pairs of before the last gap */
    int64_t past_ns;
    int64_t wide_ticks; /* how far off a pair may be */
    /* Of times, without a step back, the last one first: a tick has one time, also later. */
    struct swi_course course[SWI_COURSES_KEPT];
    double rate;  /* ns per tick for durations: overall */
    double doubt; /* how far off the rate may be, relative */
    bool measured;
    int64_t next_tick; /* when to compare the clocks closely again */
    int64_t issued_ns; /* the latest time that was given out */
};

/* Starts the clock: time 0 is now. */
void swi_clock_init(struct swi_clock *clock);
void swi_clock_fini(struct swi_clock *clock);

/* The same by counter and kernel's clock of somebody else's. */
void swi_clock_init_from(struct swi_clock *clock, const struct swi_clock_source *source);

/* Another clock; time 0 is what it says now. */
void swi_clock_set(struct swi_clock *clock, sw_clock_fn *read, void *arg);

/* Nanoseconds in a tick, by what is known now. Compares the clocks anew when that is due. Any
 * thread. */
double swi_clock_rate(struct swi_clock *clock);

/* A tick as nanoseconds since the start. Never goes back; steps forth where the counter had
 * stopped. Any thread. */
int64_t swi_clock_ns(struct swi_clock *clock, int64_t tick);

/* Looks at both clocks, whether there is a gap. Any thread. */
void swi_clock_look(struct swi_clock *clock);

/* Gap number n, from 0. False if it is not kept any more. */
bool swi_clock_gap(struct swi_clock *clock, unsigned n, struct swi_gap *gap);

/* Whether a tick was read before the gap; now: a tick of now. */
static inline bool swi_gap_is_before(const struct swi_gap *gap, int64_t tick, int64_t now)
{
    return tick <= gap->after || (gap->set_back && tick > now);
}

/* CLOCK_MONOTONIC. */
int64_t swi_monotonic_ns(void);

/* clock_gettime(), also where the program made the counter a trap: the C library reads it. */
void swi_time(clockid_t id, struct timespec *time);

/* Whether the counter is a trap for the calling thread: prctl(PR_SET_TSC, PR_TSC_SIGSEGV). */
bool swi_counter_trapped(void);

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

/* Whether it is time to look at both clocks again: after a 64th of a second, and after every tick
 * that is out of order. */
static inline bool swi_clock_due(const struct swi_clock *clock, int64_t tick)
{
    uint64_t since =
        (uint64_t)tick - (uint64_t)atomic_load_explicit(&clock->looked, memory_order_relaxed);
    uint64_t span = (uint64_t)atomic_load_explicit(&clock->second, memory_order_relaxed) / 64;
    return clock->counter && since > span;
}

#endif
