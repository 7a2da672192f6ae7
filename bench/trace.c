/* SPDX-License-Identifier: MIT */
/* Measures what a slice of a timeline costs the worker, in each form and in bytes, and what a
 * region in a window costs the loop. The slices are those of a loop of eight regions whose
 * durations vary; fprintf_slice is what a tracer pays that prints each event. */
#include "bench/bench.h"
#include "sinks/common/trace_formats/timeline.h"
#include "sinks/common/trace_formats/timeline_state.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <x86intrin.h>

/* Rounds of a millisecond: other programs interrupt only some of them. */
enum { STEPS = 1500, REGIONS = 8, ROUNDS = REPEATS_MAX, MOMENTS = 2 * STEPS * REGIONS };

static const char *const names[REGIONS] = {"draw",     "batch",    "forward",   "loss",
                                           "backward", "opt_step", "zero_grad", "augment"};

static uint32_t lot = 1;

static int64_t some_ns(void)
{
    lot = lot * 1664525u + 1013904223u;
    return 1000 + (lot >> 12);
}

/* When each region begins or ends: made before the clock starts. A step begins with the begins and
 * ends of draw, batch, forward; in batch, each second moment is a begin. */
static int64_t moment[MOMENTS];

static void moments_make(void)
{
    int64_t now = 0;
    for (int i = 0; i < MOMENTS; i++) {
        int in_step = i % (2 * REGIONS);
        bool begins = in_step == 0 || (in_step > 2 && in_step % 2);
        moment[i] = now;
        now += begins ? some_ns() : some_ns() / 64;
    }
}

static FILE *out;

static bool write_out(void *arg, const char *data, size_t size)
{
    (void)arg;
    return fwrite(data, 1, size, out) == size;
}

static const int64_t *region(struct swi_timeline *t, uint32_t name, const int64_t *at)
{
    swi_timeline_region(t, 0, 0, SW_REGION_BEGIN, name, at[0], -1);
    swi_timeline_region(t, 0, 0, SW_REGION_END, name, at[1], -1);
    return at + 2;
}

static const int64_t *step(struct swi_timeline *t, const uint32_t *name, const int64_t *at)
{
    at = region(t, name[0], at);
    swi_timeline_region(t, 0, 0, SW_REGION_BEGIN, name[1], *at++, -1);
    for (int i = 2; i < REGIONS; i++)
        at = region(t, name[i], at);
    swi_timeline_region(t, 0, 0, SW_REGION_END, name[1], *at++, 64);
    return at;
}

/* Nanoseconds a slice; bytes: set to bytes a slice. */
static double slices(const struct swi_timeline_format *format, double *bytes)
{
    struct swi_timeline t = {.format = format, .write = write_out};
    struct swi_timeline_process process = {.name = "bench", .host = "h", .version = "1", .pid = 9};
    uint32_t name[REGIONS];
    const int64_t *at = moment;
    int64_t begin = now_ns();
    swi_timeline_start(&t);
    swi_timeline_process(&t, &process);
    for (int i = 0; i < REGIONS; i++)
        name[i] = swi_timeline_action(&t, i, names[i]);
    for (int i = 0; i < STEPS; i++)
        at = step(&t, name, at);
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

/* ---- on the loop's thread -------------------------------------------------------------------- */

enum { PAIRS = 10000, WINDOW_REPEATS = 41, APPENDED = 16384 };

static double two_rdtsc(void *arg)
{
    (void)arg;
    return two_rdtsc_ns(PAIRS);
}

/* What a tracer does at least, with no statistics: two events of 16 bytes in memory that is ready,
 * each published to a reader. */
struct appender {
    struct {
        uint64_t tick, what;
    } event[APPENDED];
    atomic_ullong published;
};

static void append(struct appender *to, uint64_t what)
{
    uint64_t count = atomic_load_explicit(&to->published, memory_order_relaxed);
    to->event[count % APPENDED].what = what;
    to->event[count % APPENDED].tick = __rdtsc();
    atomic_store_explicit(&to->published, count + 1, memory_order_release);
}

static double bare_append(void *arg)
{
    int64_t begin = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        append(arg, 1);
        append(arg, 2);
    }
    return (double)(now_ns() - begin) / PAIRS;
}

static int traced;

static double pairs(void *arg)
{
    struct sw_profiler *sw = arg;
    int64_t begin = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        sw_begin(sw, traced);
        sw_end(sw, traced);
    }
    double ns = (double)(now_ns() - begin) / PAIRS;
    sw_flush(sw, INT64_C(10000000000)); /* the worker writes while nothing is measured */
    return ns;
}

static struct sw_profiler *loop_open(const char *yaml)
{
    struct sw_profiler *sw = bench_open(yaml);
    sw_set_messages(sw, NULL, NULL);
    sw_begin(sw, SW_FIT);
    return sw;
}

static void loop_close(struct sw_profiler *sw)
{
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}

/* What a region costs in a window and without one, and what is the least: in turn, because other
 * programs slow the machine down now and then. */
static void window_measure(void)
{
    static struct appender appender;
    struct sw_profiler *without = loop_open("profiler: { show_report: false, signals: false }\n"
                                            "logger_callback: [ table: { path: /dev/null } ]\n");
    struct sw_profiler *in = loop_open("profiler: { show_report: false, signals: false }\n"
                                       "logger_callback: [ trace: { format: perfetto, path: "
                                       "/dev/null, max_size: 0 } ]\n");
    const struct {
        const char *name;
        double (*run)(void *);
        void *arg;
    } rows[] = {{"trace_two_rdtsc", two_rdtsc, NULL},
                {"bare_append", bare_append, &appender},
                {"begin_end_no_window", pairs, without},
                {"begin_end_window", pairs, in}};
    enum { ROWS = sizeof rows / sizeof *rows };
    double ns[ROWS][WINDOW_REPEATS];
    traced = sw_action("traced");
    for (int i = -1; i < WINDOW_REPEATS; i++)
        for (int k = 0; k < ROWS; k++)
            ns[k][i < 0 ? 0 : i] = rows[k].run(rows[k].arg);
    for (int k = 0; k < ROWS; k++)
        result_add(rows[k].name, "ns", ns[k], WINDOW_REPEATS);
    loop_close(in);
    loop_close(without);
}

static void run(void)
{
    out = tmpfile();
    if (!out)
        return;
    moments_make();
    setvbuf(out, NULL, _IOFBF, 1 << 16); /* as core does for files of sinks */
    format_measure(&swi_timeline_chrome, "slice_chrome", "slice_chrome_bytes");
    format_measure(&swi_timeline_perfetto, "slice_perfetto", "slice_perfetto_bytes");
    format_measure(&swi_timeline_torch, "slice_torch", "slice_torch_bytes");
    format_measure(&swi_timeline_xplane, "slice_xplane", "slice_xplane_bytes");
    printf_measure();
    fclose(out);
    window_measure();
}

const struct group trace_group = {"trace", run};
