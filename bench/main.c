/* SPDX-License-Identifier: MIT */
/* Runs groups of benchmarks, pinned to a CPU, and prints {"cases":[...]}, from which bench/run
 * makes a table. */
#include "bench/bench.h"
#include "bench/stall.h"
#include "bench/allocations.h"
#include "core/text/vec.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

static const struct group *const groups[] = {&regions_group, &log_group,      &memory_group,
                                             &sinks_group,   &accuracy_group, &trace_group,
                                             &rich_group,    &counters_group};
static int results;

int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double two_rdtsc_ns(int pairs)
{
    int64_t begin = now_ns();
    for (int i = 0; i < pairs; i++) {
        keep(__rdtsc());
        keep(__rdtsc());
    }
    return (double)(now_ns() - begin) / pairs;
}

void result_add(const char *name, const char *unit, const double *value, int repeats)
{
    double sorted[REPEATS_MAX];
    memcpy(sorted, value, (size_t)repeats * sizeof *sorted);
    qsort(sorted, (size_t)repeats, sizeof *sorted, swi_by_double);
    printf(
        "%s\n{\"name\":\"%s\",\"unit\":\"%s\",\"min_ns\":%.6g,\"median_ns\":%.6g,\"max_ns\":%.6g}",
        results++ ? "," : "", name, unit, sorted[0], sorted[repeats / 2], sorted[repeats - 1]);
    fflush(stdout);
}

void result_add_one(const char *name, const char *unit, double value)
{
    result_add(name, unit, &value, 1);
}

struct sw_profiler *bench_open(const char *yaml)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (sw)
        return sw;
    sw_error_print(stderr, &err);
    exit(1);
}

static int count_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)err;
    *(uint64_t *)state += record->metrics.count;
    return 0;
}

#define SINK(sink_name, callback)                                                                  \
    {                                                                                              \
        SW_SINK_HEADER, .name = sink_name, .version = "1", .license = "MIT", .summary = "counts",  \
                        .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT),           \
                        .queue = SW_QUEUE_DROP_OLDEST, .state_size = sizeof(uint64_t),             \
                        .record = (callback)                                                       \
    }

void bench_sinks_register(void)
{
    static const struct sw_sink_plugin sinks[] = {
        SINK("count_a", count_record), SINK("count_b", count_record), SINK("count_c", count_record),
        SINK("stall", bench_stall_record)};
    bench_sinks_add(sinks, sizeof sinks / sizeof *sinks);
}

static void pin(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int is_named(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 1;
}

int main(int argc, char **argv)
{
    pin();
    if (argc == 2 && strcmp(argv[1], ALLOCATIONS_CHILD) == 0) {
        allocations_child();
        return 0;
    }
    bench_sinks_register();
    printf("{\"cases\":[");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (is_named(groups[i]->name, argc, argv))
            groups[i]->run();
    printf("\n]}\n");
    return 0;
}
