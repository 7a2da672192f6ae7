/* SPDX-License-Identifier: MIT */
/* Measures one-time costs of a process: its first sw_open(), its first region, and a very short
 * run.
 */
#include "bench/real/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Opens between two calls of getppid(), so that bench/open finds it in the output of strace. */
static void first_open(void)
{
    syscall(SYS_getppid);
    long faults = page_faults();
    int64_t begin = real_ns();
    struct sw_profiler *sw = real_open(SINKS_SIX);
    int64_t end = real_ns();
    faults = page_faults() - faults;
    syscall(SYS_getppid);
    figure("first_open_six", "ns", (double)(end - begin));
    figure("first_open_page_faults", "faults", (double)faults);
    real_close(sw);
}

/* Measures a user's action, because the begin of fit would also make a record. */
static void first_region(void)
{
    struct sw_profiler *sw = real_open(SINKS_SIX);
    int own = sw_action("own");
    int64_t cost = fenced_cost(), tick = fenced();
    sw_begin(sw, own);
    sw_end(sw, own);
    tick = fenced() - tick - cost;
    figure("first_region", "ns", (double)tick * ns_per_tick());
    real_close(sw);
}

/* Measures 85 steps of 0.6 ms, from before sw_open() to after sw_close(). */
static void short_run(struct sw_profiler *(*open)(void), const char *name)
{
    int64_t begin = real_ns();
    struct sw_profiler *sw = open ? open() : NULL;
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 85; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        work(600000, NULL, 0);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_FIT);
    real_close(sw);
    figure(name, "ns", (double)(real_ns() - begin));
}

static struct sw_profiler *open_none(void)
{
    return real_open(SINKS_NONE);
}

static struct sw_profiler *open_six(void)
{
    return real_open(SINKS_SIX);
}

static void short_off(void)
{
    short_run(NULL, "short_run_off");
}

static void short_none(void)
{
    short_run(open_none, "short_run_none");
}

static void short_six(void)
{
    short_run(open_six, "short_run_six");
}

const struct real_case start_cases[] = {{"first_open", first_open}, {"first_region", first_region},
                                        {"short_off", short_off},   {"short_none", short_none},
                                        {"short_six", short_six},   {NULL, NULL}};
