/* SPDX-License-Identifier: MIT */
#include "core/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { BRACKETS = 20 };
#define FIRST_NS INT64_C(1000000) /* the clocks are first compared after 1 ms */

int64_t swi_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t monotonic(void *arg)
{
    (void)arg;
    return swi_monotonic_ns();
}

/* The kernel leaves its clock source when the counters of the CPUs do not agree, so its word is
 * ours. */
static bool kernel_trusts(const char *source)
{
    char text[32] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!file)
        return false;
    bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return read && strcmp(text, source) == 0;
}

/* STEPWATCH_CLOCK=monotonic: for machines whose kernel is wrong about its counter, and to compare.
 */
static bool wanted(const char *name)
{
    const char *clock = secure_getenv("STEPWATCH_CLOCK");
    return clock && strcmp(clock, name) == 0;
}

/* invariant: as the CPU says; source: what the kernel calls its counter. */
static bool usable(bool invariant, const char *source)
{
    return wanted("counter") || (invariant && !wanted("monotonic") && kernel_trusts(source));
}

#if defined(__x86_64__)
bool swi_counter_usable(void)
{
    unsigned a, b, c, d;
    /* Leaf 0x80000007, EDX bit 8: invariant TSC (Intel SDM 18.17.1, AMD APM 3 E.4.6). */
    bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
    return usable(invariant, "tsc");
}
#elif defined(__aarch64__)
bool swi_counter_usable(void)
{
    return usable(true, "arch_sys_counter");
}
#else
bool swi_counter_usable(void)
{
    return false;
}
#endif

/* What no time server slews: the counter is not slewed either. */
static int64_t raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One pair of both clocks: of some brackets counter, clock, counter the tightest is right to a few
 * ns. */
static void pair_read(int64_t *tick, int64_t *ns)
{
    int64_t best = INT64_MAX;
    for (int i = 0; i < BRACKETS; i++) {
        int64_t before = swi_counter();
        int64_t now = raw_ns();
        int64_t width = swi_counter() - before;
        if (width < best) {
            best = width;
            *tick = before + width / 2;
            *ns = now;
        }
    }
}

static void start(struct swi_clock *clock)
{
    if (clock->counter)
        pair_read(&clock->origin_tick, &clock->origin_ns);
    else
        clock->origin_tick = clock->origin_ns = clock->read(clock->arg);
    clock->anchor_tick = clock->origin_tick;
    clock->anchor_ns = 0;
    clock->slope = clock->rate = clock->counter ? 0 : 1;
    clock->next_ns = FIRST_NS;
}

void swi_clock_init(struct swi_clock *clock)
{
    *clock = (struct swi_clock){.counter = swi_counter_usable(), .read = monotonic};
    pthread_mutex_init(&clock->lock, NULL);
    start(clock);
}

void swi_clock_fini(struct swi_clock *clock)
{
    pthread_mutex_destroy(&clock->lock);
}

void swi_clock_set(struct swi_clock *clock, sw_clock_fn *read, void *arg)
{
    clock->counter = false;
    clock->read = read;
    clock->arg = arg;
    start(clock);
}

/* Takes up what a comparison of the clocks found: durations get the overall rate at once; times go
 * on from where they are and come back on track until the next comparison, when the run is a
 * quarter longer. */
static void adjust(struct swi_clock *clock, int64_t tick, int64_t ns)
{
    bool first = clock->rate <= 0;
    double elapsed = (double)(ns - clock->origin_ns);
    clock->rate = elapsed / (double)(tick - clock->origin_tick);
    double interval = elapsed / 4;
    if (first) {
        clock->slope = clock->rate;
    } else {
        double reached = clock->anchor_ns + (double)(tick - clock->anchor_tick) * clock->slope;
        clock->anchor_tick = tick;
        clock->anchor_ns = reached;
        clock->slope = clock->rate * (1 + (elapsed - reached) / interval);
    }
    clock->next_ns = (int64_t)(elapsed + interval);
}

static void compare(struct swi_clock *clock)
{
    int64_t tick = 0, ns = 0;
    do
        pair_read(&tick, &ns);
    while (ns - clock->origin_ns < FIRST_NS);
    adjust(clock, tick, ns);
}

/* With the lock held. */
static void compare_if_due(struct swi_clock *clock)
{
    if (!clock->counter)
        return;
    double elapsed = (double)(swi_counter() - clock->origin_tick) * clock->rate;
    if (clock->rate <= 0 || elapsed >= (double)clock->next_ns)
        compare(clock);
}

double swi_clock_rate(struct swi_clock *clock)
{
    pthread_mutex_lock(&clock->lock);
    compare_if_due(clock);
    double rate = clock->rate;
    pthread_mutex_unlock(&clock->lock);
    return rate;
}

int64_t swi_clock_ns(struct swi_clock *clock, int64_t tick)
{
    if (!clock->counter)
        return tick - clock->origin_tick;
    pthread_mutex_lock(&clock->lock);
    compare_if_due(clock);
    double ns = clock->anchor_ns + (double)(tick - clock->anchor_tick) * clock->slope;
    pthread_mutex_unlock(&clock->lock);
    return ns > 0 ? (int64_t)ns : 0;
}
