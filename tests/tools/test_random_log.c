/* SPDX-License-Identifier: MIT */
/* Run logs of random programs with every region, legal and not: a replay measures what the program
 * measured, in each fit. */
#include "tests/support/probe.h"
#include "tests/support/random_calls.h"
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <pthread.h>
#include <stdio.h>

enum { PROGRAMS = 40, CALLS = SANITIZED ? 400 : 1200 };

static struct sw_profiler *run_open(void)
{
    SW_ERROR_SCOPE(err);
    char yaml[300];
    scratch_enter();
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false, signals: false, rolling_average: %u, "
             "drop_first_batch: %s }\n"
             "logger_callback: [{ runlog: { path: run.jsonl, detail: regions } }]\n",
             1 + random_below(6), random_below(2) ? "true" : "false");
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

static struct sw_profiler *made_up_open(void)
{
    struct sw_profiler *sw = run_open();
    probe_attach(sw);
    return sw;
}

static void time_passes(struct sw_profiler *sw)
{
    (void)sw;
    probe_wait(random_below(100) * 1000);
}

/* Any thread calls anything, or only that of the loop does and the others measure their own
 * actions. */
static bool any;

static void call(struct sw_profiler *sw, uint32_t thread, void (*paused)(struct sw_profiler *sw))
{
    static const int builtin[] = {SW_FIT,  SW_EPOCH, SW_TRAIN,   SW_VALID, SW_DRAW,
                                  SW_DRAW, SW_BATCH, SW_FORWARD, SW_LOSS,  SW_OPT_STEP};
    enum { BUILTIN = sizeof builtin / sizeof *builtin };
    uint32_t which = random_below(BUILTIN + 2);
    int own[] = {sw_action("random a"), sw_action("random b")};
    if (any || !thread)
        random_call(sw, which < BUILTIN ? builtin[which] : own[which % 2], paused);
    else if (random_below(2))
        sw_begin(sw, own[which % 2]);
    else
        sw_end(sw, own[which % 2]);
}

static void run(struct sw_profiler *sw, uint32_t threads)
{
    uint32_t thread = 0;
    for (int i = 0; i < CALLS; i++) {
        probe_wait(random_below(1000) * 1000);
        if (random_below(16) == 0)
            sw_set_thread(sw, (int)(thread = random_below(threads)));
        if (random_below(8) == 0)
            sw_log(sw, "loss", i);
        if (random_below(5) == 0)
            sw_count(sw, sw_counter("tokens"), random_below(100));
        call(sw, thread, time_passes);
    }
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}

static struct sw_profiler *shared;
static uint32_t seed;

/* Which of two threads has the loop may depend on who comes first, and a log does not say it. Only
 * the loop's thread may pause. */
static void *run_beside(void *arg)
{
    uint32_t thread = *(const uint32_t *)arg;
    random_begin(seed + thread);
    for (int i = 0; i < CALLS; i++) {
        if (random_below(8) == 0)
            sw_log(shared, "loss", i);
        if (random_below(200) == 0) {
            struct sw_report *report;
            ck_assert_int_ge(sw_report_new(shared, &report, NULL), 0);
            sw_report_free(report);
        }
        call(shared, thread, time_passes);
    }
    return NULL;
}

START_TEST(a_replay_of_a_random_program_has_its_results)
{
    random_begin(2463534242u + (uint32_t)_i);
    any = _i % 2;
    run(made_up_open(), 1 + (uint32_t)_i % 3);
    int rc = stepwatch("replay --verify run.jsonl");
    ck_assert_msg(rc == 0, "%s", command_output());
}
END_TEST

/* Calls on the program's own clock all look closer. */
START_TEST(a_replay_has_them_with_the_clock_that_programs_have)
{
    random_begin(88675123u + (uint32_t)_i);
    any = _i % 2;
    run(run_open(), 1 + (uint32_t)_i % 3);
    int rc = stepwatch("replay --verify run.jsonl");
    ck_assert_msg(rc == 0, "%s", command_output());
}
END_TEST

START_TEST(a_replay_has_what_several_threads_measured_at_once)
{
    enum { THREADS = 4 };
    pthread_t of[THREADS];
    uint32_t number[THREADS] = {0, 1, 2, 3};
    seed = 521288629u + (uint32_t)_i * THREADS;
    random_begin(seed);
    any = false;
    shared = run_open();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&of[i], NULL, run_beside, &number[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(of[i], NULL);
    ck_assert_int_eq(sw_close(shared, NULL), 0);
    int rc = stepwatch("replay --verify run.jsonl");
    ck_assert_msg(rc == 0, "%s", command_output());
}
END_TEST

/* A log has what they did before what the loop's thread did. */
START_TEST(threads_with_batches_of_their_own_are_not_taken_for_the_loop)
{
    random_begin(1);
    struct sw_profiler *sw = made_up_open();
    for (int fit = 0; fit < 2; fit++) {
        if (_i)
            sw_begin(sw, SW_FIT);
        for (int step = 0; step < 20; step++) {
            sw_set_thread(sw, step % 2);
            probe_step(sw, 8);
        }
        sw_set_thread(sw, 0);
        sw_end(sw, SW_FIT);
    }
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    int rc = stepwatch("replay --verify run.jsonl");
    ck_assert_msg(rc == 0, "%s", command_output());
}
END_TEST

SUITE(random_log)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, threads_with_batches_of_their_own_are_not_taken_for_the_loop, 0, 2);
    tcase_add_loop_test(tc, a_replay_of_a_random_program_has_its_results, 0, PROGRAMS);
    tcase_add_loop_test(tc, a_replay_has_them_with_the_clock_that_programs_have, 0, PROGRAMS / 2);
    tcase_add_loop_test(tc, a_replay_has_what_several_threads_measured_at_once, 0, PROGRAMS / 2);
}
