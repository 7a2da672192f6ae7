/* SPDX-License-Identifier: MIT */
/* Measures the cost of opening and closing, with the defaults and with four file sinks, and the
 * cost to the loop of a row with one value while a sink writes it. */
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

/* Measures logging a value in each step, on the loop's thread; between repeats the sink catches up.
 */
static double rows(struct sw_profiler *sw)
{
    enum { ROWS = 5000 };
    int64_t t = now_ns();
    for (int i = 0; i < ROWS; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "train/loss", (double)i);
        sw_end_batch(sw, 64);
    }
    double ns = (double)(now_ns() - t) / ROWS;
    sw_flush(sw, INT64_C(10000000000));
    return ns;
}

static void row_measure(const char *yaml, const char *name)
{
    double ns[REPEATS];
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw) {
        fprintf(stderr, "%s: left out: %s\n", name, sw_error_text(&err));
        return;
    }
    sw_set_messages(sw, NULL, NULL);
    rows(sw);
    for (int i = 0; i < REPEATS; i++)
        ns[i] = rows(sw);
    result_add(name, "ns", ns, REPEATS);
    sw_close(sw, NULL);
}

static void folder_remove(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (chdir("/") != 0 || system(command) != 0)
        fprintf(stderr, "%s: cannot be removed\n", folder);
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
    row_measure("profiler: { show_report: false }\n"
                "logger_callback: { runlog: { path: rows.jsonl } }\n",
                "row_runlog");
    row_measure("profiler: { show_report: false }\n"
                "logger_callback: { tensorboard: { logdir: runs } }\n",
                "row_tensorboard");
    row_measure("profiler: { show_report: false }\n"
                "logger_callback: { wandb: { mode: offline, system: false } }\n",
                "row_wandb");
    folder_remove(folder);
}

const struct group sinks_group = {"sinks", run};
