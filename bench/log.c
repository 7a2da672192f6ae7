/* SPDX-License-Identifier: MIT */
/* Measures the cost of sw_log() to the loop, including while a sink is stalled. */
#include "bench/bench.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <x86intrin.h>

enum { CALLS = 200000, PER_STEP = 4 };

/* Stores the ticks of every call, sorted; returns ns per tick. */
static double calls_time(struct sw_profiler *sw, uint64_t *ticks)
{
    int64_t begin = now_ns();
    uint64_t first = __rdtsc();
    for (int i = 0; i < CALLS; i++) {
        if (i % PER_STEP == 0)
            sw_begin(sw, SW_BATCH);
        uint64_t t = __rdtsc();
        sw_log(sw, "train/loss", (double)i);
        ticks[i] = __rdtsc() - t;
        if (i % PER_STEP == PER_STEP - 1)
            sw_end_batch(sw, 64);
    }
    double ns_per_tick = (double)(now_ns() - begin) / (double)(__rdtsc() - first);
    qsort(ticks, CALLS, sizeof *ticks, swi_by_integer);
    return ns_per_tick;
}

static void measure(const char *sinks, const char *median, const char *tail)
{
    static uint64_t ticks[CALLS];
    double at_half[REPEATS], at_tail[REPEATS];
    struct sw_profiler *sw = bench_open(sinks);
    calls_time(sw, ticks);
    for (int i = 0; i < REPEATS; i++) {
        double ns_per_tick = calls_time(sw, ticks);
        at_half[i] = (double)ticks[CALLS / 2] * ns_per_tick;
        at_tail[i] = (double)ticks[CALLS - CALLS / 1000] * ns_per_tick;
    }
    result_add(median, "ns", at_half, REPEATS);
    result_add(tail, "ns", at_tail, REPEATS);
    sw_set_messages(sw, NULL, NULL);
    sw_close(sw, NULL);
}

static void run(void)
{
    measure("profiler: { mode: simple, show_report: false, signals: false }\n"
            "logger_callback: [count_a, count_b, count_c]\n",
            "log", "log_p999");
    measure("profiler: { mode: simple, show_report: false, close_timeout: 10ms, signals: false }\n"
            "logger_callback: [count_a, count_b, stall]\n",
            "log_stalled", "log_stalled_p999");
}

const struct group log_group = {"log", run};
