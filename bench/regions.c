/* SPDX-License-Identifier: MIT */
/* Measures the cost of begin, next, end and end_batch, and of the clock reads in them. */
#include "bench/bench.h"
#include "bench/step.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { PAIRS = 200000, ACTIONS = 10, STEPS = 20000 };

static int action[ACTIONS];

static void actions_make(void)
{
    char name[16];
    for (int i = 0; i < ACTIONS; i++) {
        snprintf(name, sizeof name, "action%d", i);
        action[i] = sw_action(name);
    }
}

/* ---- the clock ------------------------------------------------------------------------------- */

static double two_rdtsc(void *arg)
{
    (void)arg;
    return two_rdtsc_ns(PAIRS);
}

static double two_clock_gettime(void *arg)
{
    struct timespec t;
    (void)arg;
    int64_t begin = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        keep((uint64_t)t.tv_nsec);
        clock_gettime(CLOCK_MONOTONIC, &t);
        keep((uint64_t)t.tv_nsec);
    }
    return (double)(now_ns() - begin) / PAIRS;
}

/* The minimal work of a profiler: two reads, a count, a sum, a sum of squares. */
struct minimal {
    _Alignas(128) uint64_t count; /* no two of them share a cache line */
    uint64_t sum;
    double squares;
};

static double minimal_pair(void *arg)
{
    struct minimal *m = arg;
    int64_t begin = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        uint64_t t = __rdtsc();
        keep(t);
        t = __rdtsc() - t;
        m->count++;
        m->sum += t;
        m->squares += (double)t * (double)t;
        keep(m->count);
    }
    return (double)(now_ns() - begin) / PAIRS;
}

/* ---- regions, at depth 3 --------------------------------------------------------------------- */

static double begin_end(void *arg)
{
    struct sw_profiler *sw = arg;
    int64_t begin = now_ns();
    for (int i = 0, k = 0; i < PAIRS; i++) {
        sw_begin(sw, action[k]);
        sw_end(sw, action[k]);
        k = k + 1 == ACTIONS ? 0 : k + 1;
    }
    return (double)(now_ns() - begin) / PAIRS;
}

static double next_one(void *arg)
{
    struct sw_profiler *sw = arg;
    sw_begin(sw, action[0]);
    int64_t begin = now_ns();
    for (int i = 0; i < PAIRS; i++)
        sw_next(sw, action[0]);
    double ns = (double)(now_ns() - begin) / PAIRS;
    sw_end(sw, action[0]);
    return ns;
}

static double next_ten(void *arg)
{
    struct sw_profiler *sw = arg;
    sw_begin(sw, action[0]);
    int64_t begin = now_ns();
    for (int i = 0, k = 0; i < PAIRS; i++) {
        k = k + 1 == ACTIONS ? 0 : k + 1;
        sw_next(sw, action[k]);
    }
    double ns = (double)(now_ns() - begin) / PAIRS;
    sw_end(sw, action[PAIRS % ACTIONS]);
    return ns;
}

/* Measures the cost of a call without the loop around it. */
static double off(void *arg)
{
    struct sw_profiler *sw = arg;
    int64_t begin = now_ns();
    for (int i = 0; i < 10 * PAIRS; i++)
        __asm__ volatile("" : "+r"(sw));
    int64_t between = now_ns();
    for (int i = 0; i < 10 * PAIRS; i++) {
        __asm__ volatile("" : "+r"(sw));
        sw_begin(sw, SW_FORWARD);
    }
    return (double)(now_ns() - between - (between - begin)) / (10 * PAIRS);
}

/* ---- the end of a batch ---------------------------------------------------------------------- */

/* Ticks since `began`; 0 if it was interrupted. */
static uint64_t since(uint64_t began)
{
    enum { LONG = 20000 };
    uint64_t ticks = __rdtsc() - began;
    return ticks < LONG ? ticks : 0;
}

/* Measures the mean cost of sw_end_batch() alone, without the two clock reads. */
static double end_batch(void *arg)
{
    uint64_t ticks = 0, empty = 0;
    int64_t begin = now_ns();
    uint64_t first = __rdtsc();
    for (int i = 0; i < STEPS; i++) {
        step_regions(arg);
        uint64_t t = __rdtsc();
        sw_end_batch((struct sw_profiler *)arg, 64);
        ticks += since(t);
        t = __rdtsc();
        empty += since(t);
    }
    double ns_per_tick = (double)(now_ns() - begin) / (double)(__rdtsc() - first);
    return ((double)ticks - (double)empty) * ns_per_tick / STEPS;
}

static void repeat(const char *name, double (*run)(void *), void *arg)
{
    double value[REPEATS];
    run(arg);
    for (int i = 0; i < REPEATS; i++)
        value[i] = run(arg);
    result_add(name, "ns", value, REPEATS);
}

/* The consumer folds the calls of one repeat before the next begins, as it does in a loop that
 * works between its regions. */
static void repeat_calls(const char *name, double (*run)(void *), struct sw_profiler *sw)
{
    double value[REPEATS];
    run(sw);
    for (int i = 0; i < REPEATS; i++) {
        sw_flush(sw, INT64_C(10000000000));
        value[i] = run(sw);
    }
    result_add(name, "ns", value, REPEATS);
}

/* Region after region for a second or two: the loop's thread folds what the consumer cannot. */
static double begin_end_without_pause(void *arg)
{
    enum { ROUNDS = 100 };
    double ns = 0;
    for (int i = 0; i < ROUNDS; i++)
        ns += begin_end(arg) / ROUNDS;
    return ns;
}

static struct sw_profiler *open_at_depth_3(const char *yaml)
{
    struct sw_profiler *sw = bench_open(yaml);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    return sw;
}

static void close_all(struct sw_profiler *sw)
{
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}

/* ---- cold caches ----------------------------------------------------------------------------- */

enum { COLD_PAIRS = 40, COLD_BYTES = 64 << 20 };

/* Evicts everything from the caches, as a user's work may do. */
static void caches_clear(char *memory)
{
    for (size_t i = 0; i < COLD_BYTES; i += 64)
        memory[i]++;
    keep((uint64_t)(uintptr_t)memory);
}

static int64_t ticks_of(void (*call)(void *), void *arg)
{
    uint64_t t = __rdtsc();
    call(arg);
    return (int64_t)(__rdtsc() - t);
}

static void cold_begin(void *arg)
{
    sw_begin((struct sw_profiler *)arg, action[0]);
}

static void cold_end(void *arg)
{
    sw_end((struct sw_profiler *)arg, action[0]);
}

static uint64_t minimal_started;

static void minimal_begin(void *arg)
{
    (void)arg;
    minimal_started = __rdtsc();
    keep(minimal_started);
}

static void minimal_end(void *arg)
{
    struct minimal *m = arg;
    uint64_t t = __rdtsc() - minimal_started;
    m->count++;
    m->sum += t;
    m->squares += (double)t * (double)t;
    keep(m->count);
}

/* Measures a begin and an end with cold caches, as a median because the clock advances by 10 ns. */
static void cold(const char *name, void (*begin)(void *), void (*end)(void *), void *arg)
{
    double ns[COLD_PAIRS];
    char *memory = calloc(COLD_BYTES, 1);
    if (!memory)
        exit(1);
    int64_t start = now_ns();
    uint64_t first = __rdtsc();
    for (int i = 0; i < COLD_PAIRS; i++) {
        caches_clear(memory);
        ns[i] = (double)ticks_of(begin, arg);
        caches_clear(memory);
        ns[i] += (double)ticks_of(end, arg);
    }
    double ns_per_tick = (double)(now_ns() - start) / (double)(__rdtsc() - first);
    for (int i = 0; i < COLD_PAIRS; i++)
        ns[i] *= ns_per_tick;
    free(memory);
    result_add(name, "ns", ns, COLD_PAIRS);
}

/* ---- two threads ----------------------------------------------------------------------------- */

struct pinned {
    double (*run)(void *);
    void *arg;
    int cpu;
    double ns;
    pthread_barrier_t *start;
};

static void *pinned_main(void *arg)
{
    struct pinned *p = arg;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(p->cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    p->run(p->arg);
    pthread_barrier_wait(p->start);
    p->ns = p->run(p->arg);
    return NULL;
}

/* Measures the slower of two threads that run at the same time, each on its own CPU. */
static double two_at_once(double (*run)(void *), void *a, void *b)
{
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, 2);
    struct pinned p[2] = {{run, a, 0, 0, &start}, {run, b, 1, 0, &start}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, pinned_main, &p[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&start);
    return p[0].ns > p[1].ns ? p[0].ns : p[1].ns;
}

static void two_threads(struct sw_profiler *sw)
{
    static struct minimal minimal[2];
    double pair[REPEATS], least[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        least[i] = two_at_once(minimal_pair, &minimal[0], &minimal[1]);
        sw_flush(sw, INT64_C(10000000000));
        pair[i] = two_at_once(begin_end, sw, sw);
    }
    result_add("minimal_pair_two_threads", "ns", least, REPEATS);
    result_add("begin_end_two_threads", "ns", pair, REPEATS);
}

static void run(void)
{
    struct minimal minimal = {0};
    actions_make();
    struct sw_profiler *sw = open_at_depth_3("profiler: { mode: simple, show_report: false }\n"
                                             "logger_callback: count_a\n");
    repeat("two_rdtsc", two_rdtsc, NULL);
    repeat("two_clock_gettime", two_clock_gettime, NULL);
    repeat("minimal_pair", minimal_pair, &minimal);
    repeat_calls("begin_end", begin_end, sw);
    repeat_calls("next", next_one, sw);
    repeat_calls("next_ten", next_ten, sw);
    repeat("off", off, NULL);
    repeat_calls("end_batch", end_batch, sw);
    cold("minimal_pair_cold", minimal_begin, minimal_end, &minimal);
    cold("begin_end_cold", cold_begin, cold_end, sw);
    two_threads(sw);
    double without_pause = begin_end_without_pause(sw);
    result_add("begin_end_without_pause", "ns", &without_pause, 1);
    close_all(sw);
    /* With a window of one step, every step makes a record for three sinks. */
    sw = open_at_depth_3("profiler: { mode: simple, show_report: false, rolling_average: 1 }\n"
                         "logger_callback: [count_a, count_b, count_c]\n");
    repeat_calls("end_batch_due", end_batch, sw);
    close_all(sw);
    setenv("STEPWATCH_CLOCK", "monotonic", 1);
    sw = open_at_depth_3("profiler: { mode: simple, show_report: false }\n"
                         "logger_callback: count_a\n");
    repeat_calls("begin_end_clock_gettime", begin_end, sw);
    close_all(sw);
    unsetenv("STEPWATCH_CLOCK");
}

const struct group regions_group = {"regions", run};
