/* SPDX-License-Identifier: MIT */
/* wandb.c - measures the cost of a row of the sink wandb: wandb ROWS, with the mode and the server
 * from the environment, as for any program. bench/wandb_run.py runs it and the same in Python, and
 * explains the figures.
 *
 * Prints one line of JSON. A row has four values. Rows are logged as fast as they are accepted:
 * every 1,000 rows, the loop waits until all of them are written, because a full queue drops
 * records. */
#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1000 };

static const char yaml[] =
    "profiler: {mode: throughput, show_report: false, drop_first_batch: false, "
    "signals: false, close_timeout: 60s}\n"
    "logger_callback:\n"
    "  - wandb: {project: bench, system: false}\n";

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the peak of the resident memory in MB, in case the run ends before wandb_run.py reads it.
 */
static double peak_mb(void)
{
    char line[256];
    long peak = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return (double)peak * 1.024e-3;
}

static int64_t row(struct sw_profiler *sw, int i)
{
    sw_begin(sw, SW_BATCH);
    int64_t begin = now_ns();
    sw_log(sw, "train/loss", 1.0 / (i + 1));
    sw_log(sw, "train/accuracy", 0.5);
    sw_log(sw, "train/lr", 1e-3);
    sw_log(sw, "train/grad", (double)i);
    sw_end_batch(sw, 64);
    return now_ns() - begin;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the median of what two clock reads with nothing in between measure. */
static int64_t nothing_ns(void)
{
    int64_t ns[1001];
    for (int i = 0; i < 1001; i++) {
        int64_t begin = now_ns();
        ns[i] = now_ns() - begin;
    }
    qsort(ns, 1001, sizeof *ns, by_size);
    return ns[500];
}

/* Measures nanoseconds of each row on the loop's thread, without waiting for the queue and without
 * the clock reads. */
static void rows_time(struct sw_profiler *sw, int64_t *ns, int rows)
{
    int64_t clock_ns = nothing_ns();
    for (int i = 0; i < rows; i++) {
        ns[i] = row(sw, i) - clock_ns;
        if (i % BATCH == BATCH - 1)
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

int main(int argc, char **argv)
{
    SW_ERROR_SCOPE(err);
    int rows = argc > 1 ? atoi(argv[1]) : 20000;
    int64_t *ns = calloc((size_t)rows, sizeof *ns), at[4] = {now_ns()};
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!ns || !sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    at[1] = now_ns();
    sw_set_messages(sw, say_nothing, NULL);
    sw_begin(sw, SW_FIT);
    rows_time(sw, ns, rows);
    sw_end(sw, SW_FIT);
    at[2] = now_ns();
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
    at[3] = now_ns();
    qsort(ns, (size_t)rows, sizeof *ns, by_size);
    printf(
        "{\"rows\": %d, \"open_ms\": %.3f, \"p50_us\": %.3f, \"mean_us\": %.3f, \"p999_us\": %.3f, "
        "\"rows_per_s\": %.0f, \"close_ms\": %.1f, \"peak_mb\": %.3f}\n",
        rows, (double)(at[1] - at[0]) * 1e-6, (double)ns[rows / 2] * 1e-3, mean_us(ns, rows),
        (double)ns[rows - 1 - rows / 1000] * 1e-3, rows / ((double)(at[3] - at[1]) * 1e-9),
        (double)(at[3] - at[2]) * 1e-6, peak_mb());
    free(ns);
    return 0;
}
