/* SPDX-License-Identifier: MIT */
/* counted CASE COUNT - runs a case of the hot path COUNT times, for bench/instructions, which
 * counts the executed instructions. Without arguments, prints how it was built. */
#include "bench/step.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a sink, there is no thread but the loop's to fold what it notes. */
#define SINK "logger_callback: [{csv: {path: /dev/null}}]\n"

#if defined(__clang__)
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif
#if defined(__x86_64__)
#define MACHINE "x86_64"
#else
#define MACHINE "another machine"
#endif

static int action[10];

static void begin_end(struct sw_profiler *sw, long count)
{
    for (long i = 0; i < count; i++) {
        sw_begin(sw, action[i % 10]);
        sw_end(sw, action[i % 10]);
    }
}

/* The same on a thread with a counter of the program's own. */
static void counting(struct sw_profiler *sw, long count)
{
    sw_count(sw, sw_counter("tokens"), 1);
    begin_end(sw, count);
}

static void next(struct sw_profiler *sw, long count)
{
    sw_begin(sw, action[0]);
    for (long i = 0; i < count; i++)
        sw_next(sw, action[i % 10]);
    sw_cancel(sw, action[(count + 9) % 10]);
}

static struct sw_profiler *other;

static void in_turn(struct sw_profiler *sw, long count)
{
    for (long i = 0; i < count; i++) {
        sw_begin(sw, action[0]);
        sw_end(sw, action[0]);
        sw_begin(other, action[0]);
        sw_end(other, action[0]);
    }
}

/* Logs and counts on a thread that has begun no region. */
static void first_calls(struct sw_profiler *sw, long count)
{
    SW_ERROR_SCOPE(err);
    (void)sw;
    struct sw_profiler *fresh =
        sw_open_text("profiler: { show_report: false, signals: false }\n" SINK, &err);
    for (long i = 0; i < count; i++) {
        sw_log(fresh, "train/loss", 0.5);
        sw_count(fresh, 0, 1);
    }
}

/* Runs an action that the mode of the profiler leaves out. */
static void ignored(struct sw_profiler *sw, long count)
{
    (void)sw;
    for (long i = 0; i < count; i++) {
        sw_begin(other, SW_FORWARD);
        sw_end(other, SW_FORWARD);
    }
}

/* Runs the seven regions of a step that logs nothing, and its end. */
static void step(struct sw_profiler *sw, long count)
{
    for (long i = 0; i < count; i++) {
        step_regions(sw);
        sw_end_batch(sw, 64);
    }
}

/* Runs four regions of a step. */
static void step_of_four(struct sw_profiler *sw)
{
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_next(sw, SW_LOSS);
    sw_next(sw, SW_BACKWARD);
    sw_next(sw, SW_OPT_STEP);
    sw_end(sw, SW_OPT_STEP);
}

/* Runs a step that logs one value. */
static void logged(struct sw_profiler *sw, long count)
{
    for (long i = 0; i < count; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "train/loss", (double)i);
        sw_end_batch(sw, 64);
    }
}

#define SIX_SINKS                                                                                  \
    "profiler: { mode: simple, show_report: false, signals: false }\n"                             \
    "logger_callback: [{table: {path: report.txt}}, {markdown: {path: report.md}}, "               \
    "{csv: {path: report.csv}}, {runlog: {path: run.jsonl}}, {tensorboard: {logdir: runs}}, "      \
    "{wandb: {mode: offline}}]\n"

#define REGIONS                                                                                    \
    "profiler: { mode: simple, show_report: false, signals: false }\n"                             \
    "logger_callback: [{runlog: {path: run.jsonl, detail: regions}}]\n"

static void unheard(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    (void)text;
}

static struct sw_profiler *open_sinks(const char *text)
{
    enum { NOT_BUILT = 77 };
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text(text, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        exit(NOT_BUILT);
    }
    sw_set_messages(sw, unheard, NULL);
    return sw;
}

/* The made-up time of the loop. What sinks and rules do depends on durations, so with a real clock
 * the count would be different in each run. */
static atomic_llong made_up_ns;
static _Thread_local bool is_loop;

/* Durations of 50 to 75 us. Time goes on only by calls of the loop's thread. */
static int64_t made_up_clock(void *arg)
{
    static uint32_t random = 1;
    (void)arg;
    if (!is_loop)
        return atomic_load(&made_up_ns);
    random = random * 1664525 + 1013904223;
    return atomic_fetch_add(&made_up_ns, 50000 + (random >> 8) % 25000);
}

/* Runs a step that logs one value, and all that sinks do with it on their threads. They take as
 * many steps at once in each run. */
static void with_sinks(const char *text, long count)
{
    enum { AT_ONCE = 250 };
    struct sw_profiler *sw = open_sinks(text);
    is_loop = true;
    sw_set_clock(sw, made_up_clock, NULL);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (long i = 0; i < count; i++) {
        step(sw, 1);
        sw_log(sw, "train/loss", 0.5);
        if (i % AT_ONCE == AT_ONCE - 1)
            sw_flush(sw, INT64_C(60000000000));
    }
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}

static void six_sinks(struct sw_profiler *sw, long count)
{
    (void)sw;
    with_sinks(SIX_SINKS, count);
}

/* A run log gets every region. */
static void regions(struct sw_profiler *sw, long count)
{
    (void)sw;
    with_sinks(REGIONS, count);
}

static void off(struct sw_profiler *sw, long count)
{
    (void)sw;
    struct sw_profiler *none = NULL;
    for (long i = 0; i < count; i++) {
        __asm__ volatile("" : "+r"(none));
        sw_begin(none, SW_FORWARD);
    }
}

/* Stores to this show bench/lines where in a trace of memory a call begins and ends. */
static volatile long mark;

/* Prints where the mark, the profiler and all mapped memory are. */
static void addresses_print(struct sw_profiler *sw)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    printf("mark %p\nprofiler %p\nthread %p\nstack %p\n", (void *)&mark, (void *)sw,
           __builtin_thread_pointer(), (void *)line);
    while (maps && fgets(line, sizeof line, maps))
        fputs(line, stdout);
    if (maps)
        fclose(maps);
    fflush(stdout);
}

static void spend(long turns)
{
    for (volatile long i = 0; i < turns; i++)
        continue;
}

/* Regions of very different durations: a later one is neither the shortest nor the longest. */
static void extremes(struct sw_profiler *sw, long count)
{
    for (long i = 0; i <= count; i++) {
        sw_begin(sw, action[0]);
        spend(i < count ? 0 : 100000);
        sw_end(sw, action[0]);
    }
}

/* Runs each kind of call between two marks. */
static void calls_mark(struct sw_profiler *sw)
{
    mark = 1;
    sw_begin(sw, action[0]);
    mark = 2;
    spend(100);
    mark = 3;
    sw_end(sw, action[0]);
    mark = 4;
    step_of_four(sw);
    mark = 5;
    sw_end_batch(sw, 64);
    mark = 6;
}

/* Runs each kind of call some times between marks, after many others: most are usual ones. */
static void lines(struct sw_profiler *sw, long count)
{
    enum { MARKED = 25 };
    extremes(sw, count);
    for (long i = 0; i < count; i++) {
        step_of_four(sw);
        sw_end_batch(sw, 64);
    }
    addresses_print(sw);
    for (int i = 0; i < MARKED; i++)
        calls_mark(sw);
    _exit(0); /* the marks are near the end of the trace */
}

static const struct {
    const char *name;
    void (*run)(struct sw_profiler *sw, long count);
} cases[] = {{"begin_end", begin_end},
             {"counting", counting},
             {"next", next},
             {"step", step},
             {"log", logged},
             {"in_turn", in_turn},
             {"first_calls", first_calls},
             {"ignored", ignored},
             {"off", off},
             {"six_sinks", six_sinks},
             {"regions", regions},
             {"lines", lines}};

static struct sw_profiler *open_at_depth_3(const char *text)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text(text, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        exit(1);
    }
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    return sw;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        printf(COMPILER " %d " MACHINE " " BENCH_CFLAGS "\n", __GNUC__);
        return 0;
    }
    for (int i = 0; i < 10; i++)
        action[i] = sw_action((const char[]){'a', (char)('0' + i), '\0'});
    struct sw_profiler *sw =
        open_at_depth_3("profiler: { mode: simple, show_report: false, signals: false }\n" SINK);
    other = open_at_depth_3(
        "profiler: { mode: throughput, show_report: false, signals: false }\n" SINK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[1]) == 0)
            cases[i].run(sw, atol(argv[2]));
    _exit(0); /* else this thread would fold what it noted */
}
