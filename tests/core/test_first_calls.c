/* SPDX-License-Identifier: MIT */
/* A thread calls sw_log(), sw_count() and the like before it begins its first region. How long such
 * a call takes is in bench/expected.json. */
#include "tests/support/probe.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

static struct sw_profiler *quiet_open(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text(
        "profiler: { mode: simple, drop_first_batch: false, show_report: false }\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

/* Returns the calls of the own action, and gets what they counted. */
static int64_t calls_of(struct sw_profiler *sw, const char *phase, int64_t *counted)
{
    struct sw_report *report = NULL;
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    const struct sw_report_row *row = probe_row(report, phase, "own");
    int64_t n = row ? row->calls : 0;
    *counted = row && report->counter_count ? sw_row_counter(report, row, 0)->total : 0;
    ck_assert_int_eq(report->accounting.misuses, 0);
    sw_report_free(report);
    return n;
}

static void assert_own(struct sw_profiler *sw, const char *phase, int64_t calls, int64_t counted)
{
    int64_t found;
    ck_assert_int_eq(calls_of(sw, phase, &found), calls);
    ck_assert_int_eq(found, counted);
}

/* What is counted here is in no region. */
static void first_calls(struct sw_profiler *sw)
{
    for (int i = 0; i < 3; i++) {
        sw_log(sw, "value", i);
        sw_count(sw, sw_counter("tokens"), 100);
    }
}

static void own_region(struct sw_profiler *sw)
{
    sw_begin(sw, sw_action("own"));
    sw_count(sw, sw_counter("tokens"), 1);
    sw_end(sw, sw_action("own"));
}

START_TEST(time_before_the_first_region_is_in_nothing)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    for (int i = 0; i < 5; i++) {
        sw_log(sw, "value", i);
        probe_wait(1000);
    }
    probe_step(sw, 1);
    sw_close(sw, NULL);
    ck_assert_double_eq(probe.report[0].fit_ns, 100);
    ck_assert_str_eq(probe.metric[4].name, "value");
    ck_assert_double_eq(probe.metric[4].value, 4);
}
END_TEST

START_TEST(profilers_used_in_turn_have_their_own_regions)
{
    struct sw_profiler *sw[2] = {quiet_open(), quiet_open()};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++)
            first_calls(sw[i]);
    for (int round = 1; round <= 3; round++) {
        own_region(sw[0]);
        first_calls(sw[1]);
        assert_own(sw[0], "fit", round, round);
    }
    own_region(sw[1]);
    assert_own(sw[1], "fit", 1, 1);
    sw_close(sw[1], NULL);
    sw_close(sw[0], NULL);
}
END_TEST

START_TEST(calls_act_for_the_thread_that_is_set)
{
    struct sw_profiler *sw = quiet_open();
    sw_begin(sw, SW_FIT);
    for (int thread = 1; thread <= 3; thread++) {
        sw_set_thread(sw, thread);
        first_calls(sw);
        if (thread == 2)
            own_region(sw);
    }
    sw_set_thread(sw, 2);
    own_region(sw);
    assert_own(sw, "threads", 2, 2);
    sw_close(sw, NULL);
}
END_TEST

/* malloc() often gives the memory of the closed one again. */
START_TEST(a_profiler_in_place_of_a_closed_one_starts_empty)
{
    for (int i = 0; i < 20; i++) {
        struct sw_profiler *sw = quiet_open();
        first_calls(sw);
        if (i % 2)
            own_region(sw);
        first_calls(sw);
        assert_own(sw, "fit", i % 2, i % 2);
        sw_close(sw, NULL);
    }
}
END_TEST

START_TEST(a_pause_and_the_end_of_a_fit_are_seen)
{
    struct sw_profiler *sw = quiet_open();
    first_calls(sw);
    sw_pause(sw);
    first_calls(sw);
    own_region(sw);
    sw_resume(sw);
    own_region(sw);
    assert_own(sw, "fit", 1, 1);
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FIT);
    first_calls(sw);
    sw_begin(sw, SW_FIT);
    own_region(sw);
    assert_own(sw, "fit", 1, 1);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_fork_disturbs_neither_process)
{
    struct sw_profiler *sw = quiet_open();
    first_calls(sw);
    pid_t child = fork();
    if (child == 0) {
        first_calls(sw);
        own_region(sw);
        first_calls(sw);
        sw_close(sw, NULL);
        child_exit(0);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    first_calls(sw);
    own_region(sw);
    assert_own(sw, "fit", 1, 1);
    sw_close(sw, NULL);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

static void *log_then_measure(void *arg)
{
    struct sw_profiler *sw = arg;
    for (int i = 0; i < ROUNDS; i++)
        first_calls(sw);
    for (int i = 0; i < ROUNDS; i++)
        own_region(sw);
    return NULL;
}

/* The serial of the profiler changes all the time. */
START_TEST(threads_log_while_others_begin_and_fits_end)
{
    struct sw_profiler *sw = quiet_open();
    pthread_t thread[THREADS];
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, log_then_measure, sw), 0);
    for (int i = 0; i < ROUNDS; i++) {
        sw_begin(sw, SW_EPOCH);
        sw_end(sw, SW_EPOCH);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_own(sw, "threads", THREADS * ROUNDS, THREADS * ROUNDS);
    sw_close(sw, NULL);
}
END_TEST

SUITE(first_calls)
{
    tcase_add_test(tc, time_before_the_first_region_is_in_nothing);
    tcase_add_test(tc, profilers_used_in_turn_have_their_own_regions);
    tcase_add_test(tc, calls_act_for_the_thread_that_is_set);
    tcase_add_test(tc, a_profiler_in_place_of_a_closed_one_starts_empty);
    tcase_add_test(tc, a_pause_and_the_end_of_a_fit_are_seen);
    tcase_add_test(tc, a_fork_disturbs_neither_process);
    tcase_add_test(tc, threads_log_while_others_begin_and_fits_end);
}
