/* SPDX-License-Identifier: MIT */
/* What opening and closing costs, with nothing but defaults and with four file sinks. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void measure(const char *yaml, const char *opening, const char *closing)
{
    double open_ns[REPEATS], close_ns[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        int64_t t = now_ns();
        struct sw_profiler *sw = bench_open(yaml);
        open_ns[i] = (double)(now_ns() - t);
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
        t = now_ns();
        sw_close(sw, NULL);
        close_ns[i] = (double)(now_ns() - t);
    }
    result_add(opening, "ns", open_ns, REPEATS);
    result_add(closing, "ns", close_ns, REPEATS);
}

static void run(void)
{
    char folder[] = "/tmp/stepwatch-bench-XXXXXX", yaml[1024];
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return;
    measure("profiler: { show_report: false }\n", "open_defaults", "close_defaults");
    snprintf(
        yaml, sizeof yaml,
        "profiler: { show_report: false }\n"
        "logger_callback: [{table: {path: a.txt}}, {markdown: {path: b.md}}, {csv: {path: c.csv}}, "
        "{runlog: {path: d.jsonl}}]\n");
    measure(yaml, "open_four_sinks", "close_four_sinks");
    for (const char *const *f = (const char *const[]){"a.txt", "b.md", "c.csv", "d.jsonl", NULL};
         *f; f++)
        unlink(*f);
    if (chdir("/") == 0)
        rmdir(folder);
}

const struct group sinks_group = {"sinks", run};
