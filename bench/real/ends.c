/* SPDX-License-Identifier: MIT */
/* Measures rare events: marks, first calls, the ends of an epoch and of a fit with few and many
 * actions, and the memory that many actions take. Times are those of the loop's thread. */
#include "bench/real/real.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { EPOCHS = 15, MARKS = 2000, ACTIONS_MAX = 10000 };

static int action[ACTIONS_MAX];

static void actions_make(int count)
{
    char name[16];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "own%d", i);
        action[i] = sw_action(name);
    }
}

static void actions_run(struct sw_profiler *sw, int count)
{
    for (int i = 0; i < count; i++) {
        sw_begin(sw, action[i]);
        sw_end(sw, action[i]);
    }
}

static double ns_of_end(struct sw_profiler *sw, int which)
{
    int64_t begin = real_ns();
    sw_end(sw, which);
    return (double)(real_ns() - begin);
}

/* Uses tensorboard, which wants a report of each epoch. */
static void ends_with(int count)
{
    double ns[EPOCHS];
    char name[64];
    actions_make(count);
    struct sw_profiler *sw = real_open(SINKS_SIX);
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        actions_run(sw, count);
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 64);
        sw_end(sw, SW_TRAIN);
        ns[epoch] = ns_of_end(sw, SW_EPOCH);
        sw_flush(sw, INT64_C(10000000000));
    }
    snprintf(name, sizeof name, "epoch_end_%d", count);
    figure(name, "ns", median(ns, EPOCHS));
    snprintf(name, sizeof name, "fit_end_%d", count);
    figure(name, "ns", ns_of_end(sw, SW_FIT));
    real_close(sw);
}

static void ends_10(void)
{
    ends_with(10);
}

static void ends_100(void)
{
    ends_with(100);
}

static void ends_1000(void)
{
    ends_with(1000);
}

/* Measures the begin and the end of train if it is begun in each step. */
static void marks(void)
{
    struct sw_profiler *sw = real_open(SINKS_SIX);
    sw_begin(sw, SW_FIT);
    int64_t spent = 0;
    for (int i = 0; i < MARKS; i++) {
        int64_t begin = real_ns();
        sw_begin(sw, SW_TRAIN);
        spent += real_ns() - begin;
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 64);
        begin = real_ns();
        sw_end(sw, SW_TRAIN);
        spent += real_ns() - begin;
        work(300000, NULL, 0);
    }
    figure("train_begin_and_end", "ns", (double)spent / MARKS);
    sw_end(sw, SW_FIT);
    real_close(sw);
}

/* ---- first calls and memory ------------------------------------------------------------------ */

/* Returns the bytes that are allocated with malloc. */
static double heap(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
}

/* Returns the peak of the resident memory in MiB, which includes the making of reports. */
static double resident_most(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void first_calls(void)
{
    enum { COUNT = 1000 };
    double ns[COUNT];
    actions_make(COUNT + 1);
    struct sw_profiler *sw = real_open(SINKS_NONE);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, action[COUNT]);
    sw_end(sw, action[COUNT]);
    double before = heap();
    for (int i = 0; i < COUNT; i++) {
        int64_t begin = real_ns();
        sw_begin(sw, action[i]);
        sw_end(sw, action[i]);
        ns[i] = (double)(real_ns() - begin);
    }
    figure("first_call_memory", "KiB", (heap() - before) / COUNT / 1024);
    figure("first_call", "ns", median(ns, COUNT));
    sw_end(sw, SW_FIT);
    real_close(sw);
}

static struct sw_profiler *shared;

static void *other_thread(void *arg)
{
    actions_run(shared, ACTIONS_MAX);
    return arg;
}

static void many_actions(void)
{
    struct sw_report *report = NULL;
    pthread_t thread;
    actions_make(ACTIONS_MAX);
    shared = real_open(SINKS_NONE);
    sw_begin(shared, SW_FIT);
    double before = heap();
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    figure("memory_10000_actions", "MiB", (heap() - before) / 1048576);
    before = resident_most();
    if (sw_report_new(shared, &report, NULL) >= 0)
        figure("memory_report_10000", "MiB", resident_most() - before);
    sw_report_free(report);
    sw_end(shared, SW_FIT);
    real_close(shared);
}

const struct real_case ends_cases[] = {
    {"ends_10", ends_10}, {"ends_100", ends_100},       {"ends_1000", ends_1000},
    {"marks", marks},     {"first_calls", first_calls}, {"many_actions", many_actions},
    {NULL, NULL}};
