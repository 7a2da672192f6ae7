/* SPDX-License-Identifier: MIT */
/* Measures what values that are more than a number cost the loop: what a call copies or computes.
 * The sink takes the values, and the loop waits for it between calls, so that memory is used again,
 * as in a loop that logs an image now and then. */
#include "bench/bench.h"
#include "bench/stall.h"
#include "core/text/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { SIDE = 1024, ELEMENTS = 1000000, ROWS = 1000, CALLS = 100000, STALLED = 20000 };

static uint8_t *pixels, *copied;
static float *floats;
static int64_t id[ROWS];
static double score[ROWS];
static const char *label[ROWS];
static bool right[ROWS];

/* ---- sinks ----------------------------------------------------------------------------------- */

static int value_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)err;
    *(uint64_t *)state += record->type == SW_RECORD_VALUE;
    return 0;
}

#define SINK(sink_name, callback)                                                                  \
    {                                                                                              \
        SW_SINK_HEADER, .name = sink_name, .version = "1", .license = "MIT", .summary = "counts",  \
                        .wants = SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_METRICS),            \
                        .state_size = sizeof(uint64_t), .record = (callback)                       \
    }

static void sinks_register(void)
{
    static const struct sw_sink_plugin sinks[] = {SINK("count_values", value_record),
                                                  SINK("stall_values", bench_stall_record)};
    bench_sinks_add(sinks, sizeof sinks / sizeof *sinks);
}

static bool data_make(void)
{
    pixels = calloc(SIDE * SIDE, 3);
    copied = calloc(SIDE * SIDE, 3);
    floats = calloc(ELEMENTS, sizeof *floats);
    uint32_t random = 1;
    for (int i = 0; floats && i < ELEMENTS; i++) {
        random = random * UINT32_C(1664525) + UINT32_C(1013904223);
        floats[i] = (float)(random >> 8) / (1 << 24) - 0.5f;
    }
    for (int i = 0; i < ROWS; i++)
        label[i] = i % 3 ? "seven" : "four";
    if (pixels)
        memset(pixels, 77, (size_t)3 * SIDE * SIDE);
    return pixels && copied && floats;
}

/* ---- one call at a time ---------------------------------------------------------------------- */

static void image_large(struct sw_profiler *sw)
{
    sw_log_image(sw, "large", SW_U8, pixels, SIDE, SIDE, 3, NULL);
}

/* What any copy of it takes on this machine: the profiler is not used. */
static void image_copy(struct sw_profiler *sw)
{
    (void)sw;
    memcpy(copied, pixels, (size_t)3 * SIDE * SIDE);
    keep(copied[0]);
}

static void image_large_f32(struct sw_profiler *sw)
{
    sw_log_image(sw, "large_f32", SW_F32, floats, 500, 500, 3, NULL);
}

static void image_small(struct sw_profiler *sw)
{
    sw_log_image(sw, "small", SW_U8, pixels, 28, 28, 1, NULL);
}

static void image_small_f32(struct sw_profiler *sw)
{
    sw_log_image(sw, "small_f32", SW_F32, floats, 28, 28, 1, NULL);
}

static void histogram(struct sw_profiler *sw)
{
    sw_log_vector(sw, "weights", SW_F32, floats, ELEMENTS, SW_HISTOGRAM);
}

static void norm(struct sw_profiler *sw)
{
    sw_log_vector(sw, "gradient", SW_F32, floats, ELEMENTS, SW_NORM);
}

static void table(struct sw_profiler *sw)
{
    const struct sw_table_column column[] = {{"id", SW_I64, id},
                                             {"score", SW_F64, score},
                                             {"label", SW_TEXT, label},
                                             {"right", SW_BOOL, right}};
    sw_log_table(sw, "worst", column, 4, ROWS);
}

static void text(struct sw_profiler *sw)
{
    sw_log_text(sw, "note", "**epoch 3** has begun");
}

/* The time of a call: the mean of so many in a row. The sink has taken all before the next ones. */
static double call_time(struct sw_profiler *sw, void (*log)(struct sw_profiler *), int row)
{
    int64_t t = now_ns();
    for (int i = 0; i < row; i++)
        log(sw);
    double ns = (double)(now_ns() - t) / row;
    sw_flush(sw, INT64_C(10000000000));
    return ns;
}

/* Each repeat is the least of several. */
static void measure(struct sw_profiler *sw, const char *name, void (*log)(struct sw_profiler *),
                    int row)
{
    enum { TRIES = 5 };
    double ns[REPEATS];
    call_time(sw, log, row);
    for (int i = 0; i < REPEATS; i++) {
        ns[i] = call_time(sw, log, row);
        for (int k = 1; k < TRIES; k++) {
            double other = call_time(sw, log, row);
            ns[i] = other < ns[i] ? other : ns[i];
        }
    }
    result_add(name, "ns", ns, REPEATS);
}

/* ---- no sink, and one that hangs ------------------------------------------------------------- */

static void unwanted(void)
{
    double ns[REPEATS];
    struct sw_profiler *sw = bench_open("profiler: { show_report: false, signals: false }\n"
                                        "logger_callback: [count_a]\n");
    sw_log(sw, "loss", 1);
    sw_flush(sw, INT64_C(10000000000));
    for (int i = 0; i < REPEATS; i++) {
        int64_t t = now_ns();
        for (int k = 0; k < CALLS; k++)
            image_large(sw);
        ns[i] = (double)(now_ns() - t) / CALLS;
    }
    result_add("value_unwanted", "ns", ns, REPEATS);
    sw_close(sw, NULL);
}

/* A sink that never returns holds the first values; the memory for more is soon used up. */
static void stalled(void)
{
    static uint64_t ticks[STALLED];
    double tail[REPEATS];
    struct sw_profiler *sw = bench_open("profiler: { show_report: false, signals: false, "
                                        "close_timeout: 10ms, values_memory: 8MiB }\n"
                                        "logger_callback: [count_values, stall_values]\n");
    sw_set_messages(sw, NULL, NULL);
    for (int i = 0; i < REPEATS; i++) {
        int64_t begin = now_ns();
        uint64_t first = __rdtsc();
        for (int k = 0; k < STALLED; k++) {
            uint64_t t = __rdtsc();
            image_small(sw);
            ticks[k] = __rdtsc() - t;
        }
        double ns_per_tick = (double)(now_ns() - begin) / (double)(__rdtsc() - first);
        qsort(ticks, STALLED, sizeof *ticks, swi_by_integer);
        tail[i] = (double)ticks[STALLED - STALLED / 1000] * ns_per_tick;
    }
    result_add("image_stalled_p999", "ns", tail, REPEATS);
    sw_close(sw, NULL);
}

static void run(void)
{
    if (!data_make())
        return;
    sinks_register();
    unwanted();
    struct sw_profiler *sw = bench_open("profiler: { show_report: false, signals: false }\n"
                                        "logger_callback: [count_values]\n");
    measure(sw, "text", text, 50);
    measure(sw, "image_28", image_small, 50);
    measure(sw, "image_28_f32", image_small_f32, 50);
    measure(sw, "memcpy_3mib", image_copy, 1);
    measure(sw, "image_3mib", image_large, 1);
    measure(sw, "image_750k_f32", image_large_f32, 1);
    measure(sw, "histogram_1e6", histogram, 1);
    measure(sw, "norm_1e6", norm, 1);
    measure(sw, "table_1000x4", table, 10);
    sw_close(sw, NULL);
    stalled();
    free(pixels);
    free(copied);
    free(floats);
}

const struct group rich_group = {"rich", run};
