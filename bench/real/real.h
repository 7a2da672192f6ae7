/* SPDX-License-Identifier: MIT */
/* real.h - functions that the cases of bench/real/ share: clocks, configurations, results.
 *
 * Each case runs in its own process, so that "the first" of anything is really the first. */
#ifndef BENCH_REAL_REAL_H
#define BENCH_REAL_REAL_H

#include <stepwatch/stepwatch.h>

#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

/* A case, with its name on the command line. */
struct real_case {
    const char *name;
    void (*run)(void);
};
extern const struct real_case cold_cases[], loop_cases[], ends_cases[], threads_cases[],
    start_cases[], bare_cases[];

/* Prints a figure as a line that bench/run reads. */
void figure(const char *name, const char *unit, double value);

/* CLOCK_MONOTONIC. */
int64_t real_ns(void);

/* Reads the counter, fenced on both sides: everything before it has finished, and nothing after it
 * has begun. */
static inline int64_t fenced(void)
{
    _mm_lfence();
    int64_t tick = (int64_t)__rdtsc();
    _mm_lfence();
    return tick;
}

/* Returns the nanoseconds of a tick, measured over the run so far. */
double ns_per_tick(void);

/* Returns the ticks of two fenced reads with nothing in between. */
int64_t fenced_cost(void);

/* The sinks of a case: none, the table, four files, six sinks, or a run log with every region. */
enum sinks { SINKS_NONE, SINKS_TABLE, SINKS_FILES, SINKS_SIX, SINKS_REGIONS, SINKS_KINDS };
extern const char *const sinks_name[SINKS_KINDS];

/* Opens a profiler in simple mode with these sinks, or ends the program with the error message.
 * Files are written to the working folder. */
struct sw_profiler *real_open(enum sinks sinks);
struct sw_profiler *real_open_text(const char *yaml);

/* Closes the profiler without printing to the terminal. */
void real_close(struct sw_profiler *sw);

/* The least work of a profiler in a shared library: floors.c. */
void floor_open(void);
void floor_close(void);
void floor_begin(void);
void floor_end(void);
void floor_end_batch(void);

/* Sorts and returns the median. */
double median(double *value, int count);

/* Works for the given time without a system call, on memory of the given size. */
void work(int64_t ns, char *memory, int64_t bytes);

#endif
