/* SPDX-License-Identifier: MIT */
/* Measures the cost of a call after the step's own work has used the caches: between any two calls,
 * 4 or 64 MiB are walked, and each call is fenced on both sides. The cases take turns, a pass of
 * rounds each, so that whatever else the machine does slows all of them alike. */
#include "bench/real/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PASSES = 5, ROUNDS = 20 };

static char *memory;
static int64_t walked; /* bytes */
static struct sw_profiler *sw;
static int action;

/* Returns the ticks of one call after walking the memory. */
static double cold_call(void (*call)(void))
{
    for (int64_t i = 0; i < walked; i += 64)
        memory[i]++;
    int64_t tick = fenced();
    call();
    return (double)(fenced() - tick);
}

/* Measures begin and end together, a pass of rounds. */
static void cold_pair(double *ticks, void (*begin)(void), void (*end)(void))
{
    int64_t cost = 2 * fenced_cost();
    for (int i = 0; i < ROUNDS; i++) {
        ticks[i] = cold_call(begin);
        ticks[i] += cold_call(end) - (double)cost;
    }
}

static __attribute__((noinline)) void empty(void)
{
    __asm__ volatile("");
}

/* The minimal work of a profiler. */
static struct {
    _Alignas(64) uint64_t count;
    int64_t start, sum;
    double squares;
} least;

static void least_begin(void)
{
    least.start = (int64_t)__rdtsc();
}

static void least_end(void)
{
    int64_t ticks = (int64_t)__rdtsc() - least.start;
    least.count++;
    least.sum += ticks;
    least.squares += (double)ticks * (double)ticks;
}

static struct timespec by_hand[2];

static void hand_begin(void)
{
    clock_gettime(CLOCK_MONOTONIC, &by_hand[0]);
}

static void hand_end(void)
{
    clock_gettime(CLOCK_MONOTONIC, &by_hand[1]);
}

static void region_begin(void)
{
    sw_begin(sw, action);
}

static void region_end(void)
{
    sw_end(sw, action);
}

/* Runs a step of four regions up to its end. */
static void step_before(void)
{
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_next(sw, SW_LOSS);
    sw_next(sw, SW_BACKWARD);
    sw_next(sw, SW_OPT_STEP);
    sw_end(sw, SW_OPT_STEP);
}

static void step_end(void)
{
    sw_end_batch(sw, 64);
}

static void cold_end(double *ticks, void (*before)(void), void (*end)(void))
{
    int64_t cost = fenced_cost();
    for (int i = 0; i < ROUNDS; i++) {
        before();
        ticks[i] = cold_call(end) - (double)cost;
    }
}

static const struct cold {
    const char *name;
    void (*begin)(void);
    void (*end)(void);
} pairs[] = {
    {"empty_call", empty, empty},
    {"minimal_pair", least_begin, least_end},
    {"clock_gettime_pair", hand_begin, hand_end},
    {"floor_pair", floor_begin, floor_end},
    {"pair", region_begin, region_end},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void print(const char *name, double *ticks)
{
    char label[64];
    snprintf(label, sizeof label, "%s_cold_%dM", name, (int)(walked >> 20));
    figure(label, "ns", median(ticks, PASSES * ROUNDS) * ns_per_tick());
}

/* Prints the median of each case. */
static void passes(void)
{
    static double ticks[PAIRS + 2][PASSES * ROUNDS];
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < PAIRS; i++)
            cold_pair(ticks[i] + (size_t)pass * ROUNDS, pairs[i].begin, pairs[i].end);
        cold_end(ticks[PAIRS] + (size_t)pass * ROUNDS, floor_begin, floor_end_batch);
        cold_end(ticks[PAIRS + 1] + (size_t)pass * ROUNDS, step_before, step_end);
    }
    for (int i = 0; i < PAIRS; i++)
        print(pairs[i].name, ticks[i]);
    print("floor_end_batch", ticks[PAIRS]);
    print("end_batch", ticks[PAIRS + 1]);
}

static void warm_up(void)
{
    for (int i = 0; i < 1000; i++) {
        region_begin();
        region_end();
        step_before();
        step_end();
    }
}

static void cold_with(int64_t bytes)
{
    walked = bytes;
    memory = calloc((size_t)bytes, 1);
    sw = real_open(SINKS_NONE);
    if (!memory)
        exit(1);
    action = sw_action("own");
    floor_open();
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    warm_up();
    passes();
    sw_end(sw, SW_FIT);
    real_close(sw);
    floor_close();
    free(memory);
}

static void cold_4(void)
{
    cold_with(INT64_C(4) << 20);
}

static void cold_64(void)
{
    cold_with(INT64_C(64) << 20);
}

const struct real_case cold_cases[] = {{"cold_4M", cold_4}, {"cold_64M", cold_64}, {NULL, NULL}};
