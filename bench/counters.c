/* SPDX-License-Identifier: MIT */
/* Measures what counters add to a region: those that are a load from memory, as the program's own
 * and those of libstepwatch-memory are, and those that need a system call. */
#include "bench/bench.h"
#include "bench/step.h"

#include <stdio.h>

/* Many short repeats, because other programs disturb the fastest of them least. */
enum { PAIRS = 20000, SLOW_PAIRS = 1000, CHEAP = 8, TIMES = REPEATS_MAX };

/* What a pair takes at least: two readings of the clock. */
static void clock_measure(void)
{
    double ns[TIMES];
    for (int i = 0; i < TIMES; i++)
        ns[i] = two_rdtsc_ns(PAIRS);
    result_add("counters_two_rdtsc", "ns", ns, TIMES);
}

/* ns; the consumer folds the calls of one repeat before the next begins, as it does in a loop that
 * works between its regions. */
#define FLUSHED INT64_C(10000000000)

static double pair_time(struct sw_profiler *sw, int action, int pairs)
{
    int64_t begin = now_ns();
    for (int i = 0; i < pairs; i++) {
        sw_begin(sw, action);
        sw_end(sw, action);
    }
    return (double)(now_ns() - begin) / pairs;
}

/* A step of seven regions, with its end. */
static double step_time(struct sw_profiler *sw, int steps)
{
    int64_t begin = now_ns();
    for (int i = 0; i < steps; i++) {
        step_regions(sw);
        sw_end_batch(sw, 32);
    }
    return (double)(now_ns() - begin) / steps;
}

static void measure(struct sw_profiler *sw, const char *name, int pairs)
{
    double pair[TIMES], step[TIMES];
    char text[64];
    int action = sw_action("measured");
    sw_begin(sw, SW_FIT);
    pair_time(sw, action, pairs);
    for (int i = 0; i < TIMES; i++) {
        sw_flush(sw, FLUSHED);
        pair[i] = pair_time(sw, action, pairs);
        sw_flush(sw, FLUSHED);
        step[i] = step_time(sw, pairs / 10);
    }
    sw_end(sw, SW_FIT);
    snprintf(text, sizeof text, "counters_%s_pair", name);
    result_add(text, "ns", pair, TIMES);
    snprintf(text, sizeof text, "counters_%s_step", name);
    result_add(text, "ns", step, TIMES);
}

/* A process keeps its own counters, so fewer of them come first. */
static void cheap(void)
{
    static int counter[CHEAP];
    int counters = 0;
    for (int wanted = 0; wanted <= CHEAP; wanted = wanted ? 2 * wanted : 1) {
        char name[24];
        struct sw_profiler *sw = bench_open("profiler: { mode: simple, show_report: false, "
                                            "signals: false }\nlogger_callback: count_a\n");
        for (; counters < wanted; counters++) {
            snprintf(name, sizeof name, "counter%d", counters);
            counter[counters] = sw_counter(name);
        }
        for (int i = 0; i < wanted; i++)
            sw_count(sw, counter[i], 1);
        snprintf(name, sizeof name, "%d", wanted);
        measure(sw, name, PAIRS);
        sw_close(sw, NULL);
    }
}

static void with_system_calls(void)
{
    static const char *const names[] = {"cpu", "cpu_wait", "page_faults"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "profiler: { mode: simple, show_report: false, signals: false, counters: [%s: "
                 "regions] }\nlogger_callback: count_a\n",
                 names[i]);
        struct sw_profiler *sw = bench_open(yaml);
        measure(sw, names[i], SLOW_PAIRS);
        sw_close(sw, NULL);
    }
}

static void run(void)
{
    clock_measure();
    cheap();
    with_system_calls();
    monitors_measure();
}

const struct group counters_group = {"counters", run};
