/* SPDX-License-Identifier: MIT */
/* Measures the time of the loop's thread in all calls of a step, with a separate clock around each
 * call: in a loop paced at 1 ms that walks 4 MiB a step, and in the same loop at full speed. */
#include "bench/real/real.h"
#include "bench/step.h"

#include <stdio.h>
#include <stdlib.h>

enum { PACED_STEPS = 1500, WARM_STEPS = 200, BURST = 2000, BURSTS = 9, SET = 4 << 20 };

static int64_t spent, cost; /* ticks */

/* Measures the ticks between two fenced reads around a call, without the cost of the reads. */
#define TIMED(call)                                                                                \
    do {                                                                                           \
        int64_t timed_tick_ = fenced();                                                            \
        call;                                                                                      \
        spent += fenced() - timed_tick_ - cost;                                                    \
    } while (0)

/* Does a seventh of the step's work after each call, so that the caches have the program's data. */
static char *part(char *memory, int i)
{
    work(130000, memory + (size_t)i * (SET / 7), SET / 7);
    return memory;
}

static void paced_step(struct sw_profiler *sw, char *memory)
{
    TIMED(sw_begin(sw, SW_DRAW));
    part(memory, 0);
    TIMED(sw_next(sw, SW_BATCH));
    TIMED(sw_begin(sw, SW_FORWARD));
    part(memory, 1);
    TIMED(sw_next(sw, SW_LOSS));
    part(memory, 2);
    TIMED(sw_next(sw, SW_BACKWARD));
    part(memory, 3);
    TIMED(sw_next(sw, SW_OPT_STEP));
    part(memory, 4);
    TIMED(sw_next(sw, SW_ZERO_GRAD));
    part(memory, 5);
    TIMED(sw_end(sw, SW_ZERO_GRAD));
    part(memory, 6);
    TIMED(sw_log(sw, "train/loss", 0.5));
    TIMED(sw_end_batch(sw, 64));
}

/* Returns the mean ns of a step. Steps before it are not counted. */
static double paced_steps(struct sw_profiler *sw, void (*step)(struct sw_profiler *, char *))
{
    char *memory = calloc(SET, 1);
    cost = fenced_cost();
    for (int i = 0; i < WARM_STEPS; i++)
        step(sw, memory);
    spent = 0;
    for (int i = 0; i < PACED_STEPS; i++)
        step(sw, memory);
    free(memory);
    return (double)spent * ns_per_tick() / PACED_STEPS;
}

static void paced(enum sinks sinks)
{
    char name[64];
    struct sw_profiler *sw = real_open(sinks);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    snprintf(name, sizeof name, "paced_step_%s", sinks_name[sinks]);
    figure(name, "ns", paced_steps(sw, paced_step));
    sw_end(sw, SW_FIT);
    real_close(sw);
}

/* The same step with the least work of a profiler: ten calls, of which the last sums up the rest.
 */
static void floor_step(struct sw_profiler *sw, char *memory)
{
    (void)sw;
    for (int i = 0; i < 7; i++) {
        TIMED(i % 2 ? floor_end() : floor_begin());
        part(memory, i);
    }
    TIMED(floor_begin());
    TIMED(floor_end());
    TIMED(floor_end_batch());
}

static void paced_floor(void)
{
    floor_open();
    figure("paced_step_floor", "ns", paced_steps(NULL, floor_step));
    floor_close();
}

static void paced_none(void)
{
    paced(SINKS_NONE);
}

static void paced_table(void)
{
    paced(SINKS_TABLE);
}

static void paced_six(void)
{
    paced(SINKS_SIX);
}

static void paced_regions(void)
{
    paced(SINKS_REGIONS);
}

/* ---- at full speed --------------------------------------------------------------------------- */

static struct sw_profiler *other; /* used in turn with the first one, or NULL */

/* Measures nanoseconds of one call of run(). After each burst of calls, the sinks have time to
 * catch up. */
static double bursts(struct sw_profiler *sw, void (*run)(struct sw_profiler *))
{
    double ns[BURSTS];
    for (int b = 0; b < BURSTS; b++) {
        int64_t begin = real_ns();
        for (int i = 0; i < BURST; i++)
            run(sw);
        ns[b] = (double)(real_ns() - begin) / BURST;
        sw_flush(sw, INT64_C(10000000000));
        sw_flush(other, INT64_C(10000000000));
    }
    return median(ns, BURSTS);
}

static int own;

static void own_pair(struct sw_profiler *sw)
{
    sw_begin(sw, own);
    sw_end(sw, own);
}

static void step_of_pairs(struct sw_profiler *sw)
{
    static const int action[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
    sw_begin(sw, SW_DRAW);
    sw_end(sw, SW_DRAW);
    sw_begin(sw, SW_BATCH);
    for (size_t i = 0; i < sizeof action / sizeof *action; i++) {
        sw_begin(sw, action[i]);
        sw_end(sw, action[i]);
    }
    sw_end_batch(sw, 64);
}

static void step_of_nexts(struct sw_profiler *sw)
{
    step_regions(sw);
    sw_end_batch(sw, 64);
}

static void two_reads(struct sw_profiler *sw)
{
    (void)sw;
    __asm__ volatile("" : : "r"(__rdtsc()));
    __asm__ volatile("" : : "r"(__rdtsc()));
}

/* With a sink, since without one the loop's thread folds what it notes. */
static void warm(void)
{
    struct sw_profiler *sw = real_open(SINKS_TABLE);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    figure("real_two_rdtsc", "ns", bursts(sw, two_reads));
    bursts(sw, step_of_pairs);
    figure("step_by_pairs_region", "ns", bursts(sw, step_of_pairs) / 7);
    figure("step_by_next_region", "ns", bursts(sw, step_of_nexts) / 7);
    sw_end(sw, SW_FIT);
    real_close(sw);
}

static void regions(void)
{
    own = sw_action("own");
    struct sw_profiler *sw = real_open(SINKS_REGIONS);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    bursts(sw, own_pair);
    figure("regions_pair", "ns", bursts(sw, own_pair));
    figure("regions_step_of_seven", "ns", bursts(sw, step_of_nexts));
    sw_end(sw, SW_FIT);
    real_close(sw);
}

static void pair_in_turn(struct sw_profiler *sw)
{
    own_pair(sw);
    own_pair(other);
}

/* Uses one profiler, then two in turn on one thread. */
static void in_turn(void)
{
    own = sw_action("own");
    struct sw_profiler *sw = real_open(SINKS_TABLE);
    bursts(sw, own_pair);
    figure("real_pair", "ns", bursts(sw, own_pair));
    other = real_open(SINKS_TABLE);
    bursts(sw, pair_in_turn);
    figure("two_profilers_pair", "ns", bursts(sw, pair_in_turn) / 2);
    real_close(sw);
    real_close(other);
}

static void forward_pair(struct sw_profiler *sw)
{
    sw_begin(sw, SW_FORWARD);
    sw_end(sw, SW_FORWARD);
}

/* Runs actions that throughput mode does not measure. */
static void ignored(void)
{
    struct sw_profiler *sw = real_open_text("profiler: { mode: throughput, show_report: false }\n");
    sw_begin(sw, SW_FIT);
    bursts(sw, forward_pair);
    figure("ignored_pair", "ns", bursts(sw, forward_pair));
    sw_end(sw, SW_FIT);
    real_close(sw);
}

const struct real_case loop_cases[] = {{"paced_floor", paced_floor},
                                       {"paced_none", paced_none},
                                       {"paced_table", paced_table},
                                       {"paced_six", paced_six},
                                       {"paced_regions", paced_regions},
                                       {"warm", warm},
                                       {"regions", regions},
                                       {"two_profilers", in_turn},
                                       {"ignored", ignored},
                                       {NULL, NULL}};
