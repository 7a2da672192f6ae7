/* SPDX-License-Identifier: MIT */
/* Measures what a slice of a timeline costs the worker, in each form and in bytes, and what a
 * region in a window costs the loop. The slices are those of a loop of eight regions whose
 * durations vary; fprintf_slice is what a tracer pays that prints each event. */
#include "bench/bench.h"
#include "sinks/common/timeline/chrome.h"
#include "sinks/common/timeline/perfetto.h"
#include "sinks/common/timeline/torch.h"
#include "sinks/common/timeline/xplane.h"

#include <stdlib.h>

enum { STEPS = 40000, REGIONS = 8, ROUNDS = 5 };

static const char *const names[REGIONS] = {"draw",     "batch",    "forward",   "loss",
                                           "backward", "opt_step", "zero_grad", "augment"};

static uint32_t lot = 1;

static int64_t some_ns(void)
{
    lot = lot * 1664525u + 1013904223u;
    return 1000 + (lot >> 12);
}

static FILE *out;

static bool write_out(void *arg, const char *data, size_t size)
{
    (void)arg;
    return fwrite(data, 1, size, out) == size;
}

static void region(struct swi_timeline *t, const uint32_t *name, int which, int64_t *now)
{
    swi_timeline_region(t, 0, 0, SW_REGION_BEGIN, name[which], *now, -1);
    *now += some_ns();
    swi_timeline_region(t, 0, 0, SW_REGION_END, name[which], *now, -1);
    *now += some_ns() / 64;
}

static void step(struct swi_timeline *t, const uint32_t *name, int64_t *now)
{
    region(t, name, 0, now);
    swi_timeline_region(t, 0, 0, SW_REGION_BEGIN, name[1], *now, -1);
    *now += some_ns() / 64;
    for (int i = 2; i < REGIONS; i++)
        region(t, name, i, now);
    swi_timeline_region(t, 0, 0, SW_REGION_END, name[1], *now, 64);
}

/* Nanoseconds a slice; bytes: set to bytes a slice. */
static double slices(const struct swi_timeline_format *format, double *bytes)
{
    struct swi_timeline t = {.format = format, .write = write_out};
    struct swi_timeline_process process = {.name = "bench", .host = "h", .version = "1", .pid = 9};
    uint32_t name[REGIONS];
    int64_t now = 0, begin = now_ns();
    swi_timeline_start(&t);
    swi_timeline_process(&t, &process);
    for (int i = 0; i < REGIONS; i++)
        name[i] = swi_timeline_action(&t, i, names[i]);
    for (int i = 0; i < STEPS; i++)
        step(&t, name, &now);
    swi_timeline_finish(&t);
    *bytes = (double)t.written / STEPS / REGIONS;
    swi_timeline_free(&t);
    return (double)(now_ns() - begin) / STEPS / REGIONS;
}

static void format_measure(const struct swi_timeline_format *format, const char *time,
                           const char *size)
{
    double ns[ROUNDS], bytes = 0;
    for (int i = 0; i < ROUNDS; i++)
        ns[i] = slices(format, &bytes);
    result_add(time, "ns", ns, ROUNDS);
    result_add_one(size, "bytes", bytes);
}

static void printf_measure(void)
{
    double ns[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
        int64_t begin = now_ns(), at = 0;
        for (int i = 0; i < STEPS * REGIONS; i++, at += some_ns())
            fprintf(
                out,
                "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"train\",\"pid\":%d,\"tid\":%d,\"ts\":%."
                "3f,\"dur\":%.3f},\n",
                names[i % REGIONS], 9, 9, (double)at / 1000, (double)some_ns() / 1000);
        ns[k] = (double)(now_ns() - begin) / STEPS / REGIONS;
    }
    result_add("fprintf_slice", "ns", ns, ROUNDS);
}

/* A pair on the loop's thread while a window is open, and the worker writes. */
static void window_measure(void)
{
    enum { PAIRS = 200000 };
    struct sw_profiler *sw = bench_open("profiler: { mode: simple, show_report: false, signals: "
                                        "false }\nlogger_callback: [ trace: { format: perfetto, "
                                        "path: /dev/null, max_size: 0 } ]\n");
    int action = sw_action("traced");
    double ns[ROUNDS];
    sw_set_messages(sw, NULL, NULL);
    sw_begin(sw, SW_FIT);
    for (int k = 0; k < ROUNDS; k++) {
        int64_t begin = now_ns();
        for (int i = 0; i < PAIRS; i++) {
            sw_begin(sw, action);
            sw_end(sw, action);
        }
        ns[k] = (double)(now_ns() - begin) / PAIRS;
    }
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    result_add("begin_end_window", "ns", ns, ROUNDS);
}

static void run(void)
{
    out = tmpfile();
    if (!out)
        return;
    format_measure(&swi_timeline_chrome, "slice_chrome", "slice_chrome_bytes");
    format_measure(&swi_timeline_perfetto, "slice_perfetto", "slice_perfetto_bytes");
    format_measure(&swi_timeline_torch, "slice_torch", "slice_torch_bytes");
    format_measure(&swi_timeline_xplane, "slice_xplane", "slice_xplane_bytes");
    printf_measure();
    fclose(out);
    window_measure();
}

const struct group trace_group = {"trace", run};
