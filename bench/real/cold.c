/* SPDX-License-Identifier: MIT */
/* Measures the cost of a call after the step's own work has used the caches: between any two calls,
 * 4 or 64 MiB are walked, and each call is fenced on both sides. */
#include "bench/real/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 60 };

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

/* Returns the median of begin and end together. */
static void cold_pair(const char *name, void (*begin)(void), void (*end)(void))
{
    double ticks[ROUNDS];
    char label[64];
    int64_t cost = 2 * fenced_cost();
    for (int i = 0; i < ROUNDS; i++) {
        ticks[i] = cold_call(begin);
        ticks[i] += cold_call(end) - (double)cost;
    }
    snprintf(label, sizeof label, "%s_%dM", name, (int)(walked >> 20));
    figure(label, "ns", median(ticks, ROUNDS) * ns_per_tick());
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

static void end_batch(void)
{
    double ticks[ROUNDS];
    char label[64];
    int64_t cost = fenced_cost();
    for (int i = 0; i < ROUNDS; i++) {
        step_before();
        ticks[i] = cold_call(step_end) - (double)cost;
    }
    snprintf(label, sizeof label, "end_batch_cold_%dM", (int)(walked >> 20));
    figure(label, "ns", median(ticks, ROUNDS) * ns_per_tick());
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
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    warm_up();
    cold_pair("empty_call_cold", empty, empty);
    cold_pair("minimal_pair_cold", least_begin, least_end);
    cold_pair("clock_gettime_pair_cold", hand_begin, hand_end);
    cold_pair("pair_cold", region_begin, region_end);
    end_batch();
    sw_end(sw, SW_FIT);
    real_close(sw);
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
