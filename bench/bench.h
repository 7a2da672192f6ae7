/* SPDX-License-Identifier: MIT */
/* bench.h - functions that the benchmarks share: repeats, and the JSON that bench/run reads. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <stdint.h>

enum { REPEATS = 11, REPEATS_MAX = 64 };

/* A group of cases; adds its results with result_add(). */
struct group {
    const char *name;
    void (*run)(void);
};
extern const struct group regions_group, log_group, memory_group, sinks_group, accuracy_group,
    trace_group, rich_group, counters_group;

/* Adds a case: nanoseconds (or the given unit) of every repeat, at most REPEATS_MAX. */
void result_add(const char *name, const char *unit, const double *value, int repeats);
void result_add_one(const char *name, const char *unit, double value);

/* Measures what a sample of the monitors takes. */
void monitors_measure(void);

/* CLOCK_MONOTONIC. */
int64_t now_ns(void);

/* Returns how long two readings of the counter take, as the mean of this many pairs. */
double two_rdtsc_ns(int pairs);

/* Opens a profiler with YAML text, or ends the program with the error message. */
struct sw_profiler *bench_open(const char *yaml);

/* Registers the sinks count_a, count_b and count_c, which want metrics and reports, and stall,
 * whose record() blocks. */
void bench_sinks_register(void);

/* Keeps the compiler from removing a value. */
static inline void keep(uint64_t value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

#endif
