/* SPDX-License-Identifier: MIT */
/* Measures the cost of the threads beside the loop: processor time at 1,000 and 10,000 steps a
 * second, and wake-ups while nothing happens. Also has the loop whose system calls are counted from
 * outside. */
#include "bench/real/real.h"
#include "tests/support/wake_ups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* Returns the processor time of the process in ns. */
static int64_t cpu_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static int64_t cpu_of_others(void)
{
    return cpu_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_of(CLOCK_THREAD_CPUTIME_ID);
}

static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_next(sw, SW_LOSS);
    sw_next(sw, SW_BACKWARD);
    sw_next(sw, SW_OPT_STEP);
    sw_end(sw, SW_OPT_STEP);
    sw_log(sw, "train/loss", 0.5);
    sw_end_batch(sw, 64);
}

static void paced_by_sleep(struct sw_profiler *sw, int64_t period, int64_t seconds)
{
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int64_t left = seconds * SECOND / period; left > 0; left--) {
        step(sw);
        next.tv_nsec += period;
        if (next.tv_nsec >= SECOND) {
            next.tv_nsec -= SECOND;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
}

static void cpu_at(int64_t rate)
{
    char name[64];
    struct sw_profiler *sw = real_open(SINKS_SIX);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    paced_by_sleep(sw, SECOND / rate, 1);
    int64_t begin = real_ns(), cpu = cpu_of_others();
    paced_by_sleep(sw, SECOND / rate, 4);
    cpu = cpu_of_others() - cpu;
    snprintf(name, sizeof name, "cpu_of_sinks_at_%lld", (long long)rate);
    figure(name, "percent", 100.0 * (double)cpu / (double)(real_ns() - begin));
    sw_end(sw, SW_FIT);
    real_close(sw);
}

static void cpu_1000(void)
{
    cpu_at(1000);
}

static void cpu_10000(void)
{
    cpu_at(10000);
}

static void idle(void)
{
    struct sw_profiler *sw = real_open(SINKS_SIX);
    sw_begin(sw, SW_FIT);
    step(sw);
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    pid_t own = (pid_t)syscall(SYS_gettid);
    long before = wake_ups(own);
    int64_t begin = real_ns();
    nanosleep(&(struct timespec){.tv_sec = 5}, NULL);
    figure("idle_wake_ups", "per_s",
           (double)(wake_ups(own) - before) * 1e9 / (double)(real_ns() - begin));
    sw_end(sw, SW_FIT);
    real_close(sw);
}

/* Runs steps between two calls of getppid(), which only the loop's thread makes, so that bench/run
 * finds them in the output of strace. Train is begun in every hundredth step, as in a short epoch.
 */
static void system_calls(void)
{
    enum { STEPS = 100000, EPOCH = 100 };
    struct sw_profiler *sw = real_open(SINKS_SIX);
    sw_begin(sw, SW_FIT);
    syscall(SYS_getppid);
    for (int i = 0; i < STEPS; i++) {
        if (i % EPOCH == 0) {
            sw_begin(sw, SW_EPOCH);
            sw_begin(sw, SW_TRAIN);
        }
        step(sw);
        if (i % EPOCH == EPOCH - 1) {
            sw_end(sw, SW_TRAIN);
            sw_end(sw, SW_EPOCH);
        }
    }
    syscall(SYS_getppid);
    sw_end(sw, SW_FIT);
    real_close(sw);
}

const struct real_case threads_cases[] = {{"cpu_1000", cpu_1000},
                                          {"cpu_10000", cpu_10000},
                                          {"idle", idle},
                                          {"system_calls", system_calls},
                                          {NULL, NULL}};
