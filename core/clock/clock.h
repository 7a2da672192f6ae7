/* SPDX-License-Identifier: MIT */
/* clock.h - ticks, and their conversion to nanoseconds.
 *
 * A tick is one count of the CPU's time stamp counter if the kernel trusts it (it has a constant
 * rate and agrees on all CPUs). Otherwise it is a nanosecond of CLOCK_MONOTONIC, or of a clock
 * that was set. Outside of this file, only differences of ticks and swi_clock_ns() have a meaning.
 *
 * The counter may still be stopped, be set, or run on while CLOCK_MONOTONIC does not: during a
 * suspend, or if a virtual machine is moved or paused. Such a difference is called a gap. It is
 * found by looking at both clocks from time to time. The rate is calculated from the time between
 * two gaps, and code that measures across a gap removes it from the result. */
#ifndef CORE_CLOCK_CLOCK_H
#define CORE_CLOCK_CLOCK_H

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* ---- the two clocks of this machine: the CPU's counter, and those of the kernel -------------- */

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

/* The counter and CLOCK_MONOTONIC advanced by different amounts between two looks at them. */
struct swi_gap {
    int64_t after; /* ticks read after the gap are larger than this */
    bool set_back; /* the counter was set back: ticks from before may be larger too */
    int64_t found; /* a tick from when the gap was found, or a little before */
    int64_t shift; /* to be added to a tick from before, to match the counter now */
};

/* Comparisons come when the run is a quarter longer, and each may begin two courses, so this many
 * are enough for a year, unless there are hundreds of gaps. */
enum { SWI_GAPS_KEPT = 16, SWI_COURSES_KEPT = 256 };

/* A line that times follow: from this tick on, with this slope. */
struct swi_course {
    int64_t tick;
    double ns;
    double slope; /* ns per tick: the overall rate and a correction of the current error */
};

struct swi_clock {
    /* Read at every begin and end. */
    bool counter;      /* true: the CPU's counter is read */
    sw_clock_fn *read; /* else this function: CLOCK_MONOTONIC, or a clock that was set */
    void *arg;
    bool set; /* only threads that measure call it: it was set */

    /* Read without the lock. */
    atomic_llong compared;   /* the tick of the last look at both clocks */
    atomic_llong second;     /* approximate ticks per second */
    atomic_uint gaps;        /* gaps found so far */
    atomic_uint comparisons; /* looks at both clocks so far */

    pthread_mutex_t lock; /* protects the rest; the clocks are read without it */
    struct swi_clock_source source;
    struct swi_gap gap[SWI_GAPS_KEPT];
    int64_t compared_ns;
    int64_t back_ns;  /* added to the kernel's clock, to make up for steps back, which it should not
                         make */
    int64_t first_ns; /* the kernel's clock at time 0 */
    int64_t begin_tick; /* the first accurate pair of both clocks since the last gap */
    int64_t begin_ns;
    int64_t close_tick; /* the last accurate pair */
    int64_t close_ns;
    int64_t earlier_ticks; /* sums over all stretches before the last gap */
    int64_t earlier_ns;
    int64_t wide_ticks; /* how inaccurate a pair may be */
    /* Times as a function of ticks, the newest course first. They never step back, and a tick has
     * the same time when asked again. */
    struct swi_course course[SWI_COURSES_KEPT];
    int courses;
    double rate;  /* ns per tick for durations: the overall rate */
    double doubt; /* the relative error that the rate may have */
    bool measured;
    int64_t next_tick; /* when the next accurate comparison is due */
    int64_t issued_ns; /* the latest time that was returned */
    int64_t issued_tick;
};

/* Starts the clock. Time 0 is now. */
void swi_clock_init(struct swi_clock *clock);
void swi_clock_fini(struct swi_clock *clock);

/* Like swi_clock_init(), but reads the two clocks with other functions. */
void swi_clock_init_from(struct swi_clock *clock, const struct swi_clock_source *source);

/* Replaces the clock. Time 0 is its current value. */
void swi_clock_set(struct swi_clock *clock, sw_clock_fn *read, void *arg);

/* Returns the nanoseconds per tick, as currently known. Compares the clocks again if that is due.
 * Any thread may call it. */
double swi_clock_rate(struct swi_clock *clock);

/* Returns a tick as nanoseconds since the start. Times never go back. They step forward if the
 * counter had stopped. Any thread may call it. */
int64_t swi_clock_ns(struct swi_clock *clock, int64_t tick);

/* Looks at both clocks to find gaps. Any thread may call it. */
void swi_clock_look(struct swi_clock *clock);

/* The same. now: a tick since the last look, which is behind a gap that is found. */
void swi_clock_look_before(struct swi_clock *clock, int64_t now);

/* The same, for the calls that measure: a signal handler may have interrupted its own thread while
 * that held the clock's lock. Returns false, without having looked, if the lock is held. */
bool swi_clock_look_unless_held(struct swi_clock *clock, int64_t now);

/* Gets gap number n, counted from 0. Returns false if it is no longer kept. */
bool swi_clock_gap(struct swi_clock *clock, unsigned n, struct swi_gap *gap);

/* Returns whether a tick was read before the gap. now: a current tick. */
static inline bool swi_gap_is_before(const struct swi_gap *gap, int64_t tick, int64_t now)
{
    return tick <= gap->after || (gap->set_back && tick > now);
}

static inline int64_t swi_clock_tick(const struct swi_clock *clock)
{
    if (__builtin_expect(clock->counter, 1))
        return swi_counter();
    return clock->read(clock->arg);
}

static inline int64_t swi_clock_compared(const struct swi_clock *clock)
{
    return atomic_load_explicit(&clock->compared, memory_order_relaxed);
}

/* How many ticks may pass between two looks. */
static inline int64_t swi_clock_span(const struct swi_clock *clock)
{
    return atomic_load_explicit(&clock->second, memory_order_relaxed) / 64;
}

/* Returns a tick that none is later than which was read by now, unless the counter was set back or
 * nobody has looked for two seconds. */
static inline int64_t swi_clock_latest(const struct swi_clock *clock)
{
    return swi_clock_compared(clock) +
           2 * atomic_load_explicit(&clock->second, memory_order_relaxed);
}

/* Returns whether it is time to look at both clocks again: after 1/64 s, and after every tick that
 * is out of order. */
static inline bool swi_clock_due(const struct swi_clock *clock, int64_t tick)
{
    uint64_t since = (uint64_t)tick - (uint64_t)swi_clock_compared(clock);
    return clock->counter && since > (uint64_t)swi_clock_span(clock);
}

/* Returns from when on a tick that was read some time ago is far behind the last look. */
static inline int64_t swi_clock_ahead(const struct swi_clock *clock)
{
    return clock->counter ? swi_clock_compared(clock) + 4 * swi_clock_span(clock) : INT64_MAX;
}

#endif
