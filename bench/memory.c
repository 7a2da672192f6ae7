/* SPDX-License-Identifier: MIT */
/* Measures the resident memory after a million steps and after many more, which must be equal, and
 * what counting memory costs. */
#include "bench/bench.h"
#include "bench/allocations.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = -1;
    if (file)
        fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* The sinks catch up this often, as they do with any loop that does some work. Otherwise the queues
 * would fill up sooner or later. */
enum { FLUSH = 4096 };

static void steps(struct sw_profiler *sw, int64_t count)
{
    static const int action[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
    for (int64_t i = 0; i < count; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        for (size_t k = 0; k < sizeof action / sizeof *action; k++)
            sw_next(sw, action[k]);
        sw_end(sw, SW_ZERO_GRAD);
        sw_end_batch(sw, 64);
        if (i % FLUSH == 0)
            sw_flush(sw, INT64_C(10000000000));
    }
}

/* Returns the number of steps: BENCH_STEPS, or 10^8, which take half a minute. */
static void run(void)
{
    const char *wanted = getenv("BENCH_STEPS");
    int64_t many = wanted ? atoll(wanted) : 100000000;
    struct sw_profiler *sw = bench_open("profiler: { mode: simple, show_report: false }\n"
                                        "logger_callback: [count_a, count_b, count_c]\n");
    sw_begin(sw, SW_FIT);
    steps(sw, 1000000);
    double before = resident_kib();
    steps(sw, many - 1000000);
    result_add_one("resident_1e6_steps", "KiB", before);
    result_add_one("resident_many_steps", "KiB", resident_kib());
    sw_close(sw, NULL);
    allocations_run();
}

const struct group memory_group = {"memory", run};
