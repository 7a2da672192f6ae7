/* SPDX-License-Identifier: MIT */
/* rows.c - measures the cost of a row of a sink: rows SINK ROWS [VALUES [BATCH]], where SINK is the
 * entry of logger_callback, such as `sqlite: {path: run.db}`, or `nothing` for a loop without a
 * sink; what a sink needs besides is in the environment, as for any program. bench/loggers/cases.py
 * and bench/wandb_run.py run it and the same in Python, and explain the figures.
 *
 * Prints one line of JSON. A row has four values, each logged by a call of its own, or so many
 * values of one call. Rows are logged as fast as they are accepted: every BATCH rows (1,000), the
 * loop waits until all of them are written, because a full queue drops records. */
#include "core/text/vec.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUES_MAX = 64 };

static const char yaml[] =
    "profiler: {mode: throughput, show_report: false, drop_first_batch: false, "
    "signals: false, close_timeout: 60s}\n"
    "logger_callback: [%s]\n";

/* Of a row; 0: four calls. */
static size_t values;
static char names[VALUES_MAX][32];

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns a field of memory in MB, such as "VmHWM:", in case the run ends before measured.py reads
 * it. */
static double memory_mb(const char *field)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            kib = strtol(line + strlen(field), NULL, 10);
    if (file)
        fclose(file);
    return (double)kib * 1.024e-3;
}

static void four_log(struct sw_profiler *sw, int i)
{
    sw_log(sw, "train/loss", 1.0 / (i + 1));
    sw_log(sw, "train/accuracy", 0.5);
    sw_log(sw, "train/lr", 1e-3);
    sw_log(sw, "train/grad", (double)i);
}

/* Four calls are measured with the end of the step, as their sinks make a row of it; one call is
 * measured alone, as it is a row. */
static int64_t row(struct sw_profiler *sw, int i)
{
    struct sw_named value[VALUES_MAX];
    for (size_t k = 0; k < values; k++)
        value[k] = (struct sw_named){names[k], (double)i + (double)k};
    sw_begin(sw, SW_BATCH);
    int64_t begin = now_ns();
    if (values)
        sw_log_many(sw, value, values);
    else
        four_log(sw, i);
    int64_t logged = now_ns();
    sw_end_batch(sw, 64);
    return (values ? logged : now_ns()) - begin;
}

/* Returns the median of what two clock reads with nothing in between measure. */
static int64_t nothing_ns(void)
{
    int64_t ns[1001];
    for (int i = 0; i < 1001; i++) {
        int64_t begin = now_ns();
        ns[i] = now_ns() - begin;
    }
    qsort(ns, 1001, sizeof *ns, swi_by_integer);
    return ns[500];
}

/* Measures nanoseconds of each row on the loop's thread, without waiting for the queue and without
 * the clock reads. */
static void rows_time(struct sw_profiler *sw, int64_t *ns, int rows, int batch)
{
    int64_t clock_ns = nothing_ns();
    for (int i = 0; i < rows; i++) {
        ns[i] = row(sw, i) - clock_ns;
        if (i % batch == batch - 1)
            sw_flush(sw, INT64_C(60000000000));
    }
}

static double mean_us(const int64_t *ns, int rows)
{
    int64_t sum = 0;
    for (int i = 0; i < rows; i++)
        sum += ns[i];
    return (double)sum / rows * 1e-3;
}

static void say_nothing(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    if (level != SW_NOTE)
        fprintf(stderr, "%s\n", text);
}

static struct sw_profiler *profiler_open(const char *sink, struct sw_error *err)
{
    char text[4096];
    snprintf(text, sizeof text, yaml, strcmp(sink, "nothing") == 0 ? "" : sink);
    for (size_t k = 0; k < values; k++)
        snprintf(names[k], sizeof names[k], "train/m%zu", k);
    return sw_open_text(text, err);
}

int main(int argc, char **argv)
{
    SW_ERROR_SCOPE(err);
    int rows = argc > 2 ? atoi(argv[2]) : 20000;
    int batch = argc > 4 ? atoi(argv[4]) : 1000;
    values = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    if (argc < 2 || rows < 1 || values > VALUES_MAX || batch < 1) {
        fputs("usage: rows SINK ROWS [VALUES [BATCH]]\n", stderr);
        return 2;
    }
    int64_t *ns = calloc((size_t)rows, sizeof *ns), at[4] = {now_ns()};
    struct sw_profiler *sw = profiler_open(argv[1], &err);
    if (!ns || !sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    at[1] = now_ns();
    sw_set_messages(sw, say_nothing, NULL);
    sw_begin(sw, SW_FIT);
    rows_time(sw, ns, rows, batch);
    sw_end(sw, SW_FIT);
    at[2] = now_ns();
    double own_mb = memory_mb("RssAnon:");
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
    at[3] = now_ns();
    qsort(ns, (size_t)rows, sizeof *ns, swi_by_integer);
    printf(
        "{\"rows\": %d, \"open_ms\": %.3f, \"p50_us\": %.3f, \"mean_us\": %.3f, \"p999_us\": %.3f, "
        "\"rows_per_s\": %.0f, \"close_ms\": %.1f, \"peak_mb\": %.3f, "
        "\"own_mb\": %.3f}\n",
        rows, (double)(at[1] - at[0]) * 1e-6, (double)ns[rows / 2] * 1e-3, mean_us(ns, rows),
        (double)ns[rows - 1 - rows / 1000] * 1e-3, rows / ((double)(at[3] - at[1]) * 1e-9),
        (double)(at[3] - at[2]) * 1e-6, memory_mb("VmHWM:"), own_mb);
    free(ns);
    return 0;
}
