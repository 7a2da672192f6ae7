/* SPDX-License-Identifier: MIT */
/* What the figures of a report count, where it is not plain to see. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    struct sw_error err;
    ck_assert_msg(sw_report_new(sw, &report, &err) > 0, "%s", sw_error_text(&err));
    return report;
}

static const struct sw_report_row *row_of(const struct sw_report *report, const char *phase,
                                          const char *action)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    ck_assert_msg(row != NULL, "no row %s/%s", phase, action);
    return row;
}

/* ---- actions that call themselves ------------------------------------------------------------ */

/* So many calls, each inside of the one before; 10 ns by itself each. */
static void descend(struct sw_profiler *sw, int action, int calls)
{
    sw_begin(sw, action);
    probe_wait(10);
    if (calls > 1)
        descend(sw, action, calls - 1);
    sw_end(sw, action);
}

static const char *const recursion_modes[] = {"mode: simple, drop_first_batch: false",
                                              "mode: throughput, drop_first_batch: false"};

START_TEST(of_calls_inside_of_each_other_the_outermost_makes_the_total)
{
    struct sw_profiler *sw = probe_open(recursion_modes[_i]);
    int visit = sw_action("visit");
    sw_begin(sw, SW_FIT);
    descend(sw, visit, 4);
    descend(sw, visit, 1);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = row_of(report, "fit", "visit");

    ck_assert_int_eq(row->calls, 5);
    ck_assert_double_eq(row->total_ns, 40 + 10);
    ck_assert_double_eq(row->self_ns, 5 * 10);
    ck_assert_double_eq(row->share, 1);
    ck_assert_double_eq(row->mean_ns, (10 + 20 + 30 + 40 + 10) / 5.0);
    ck_assert_double_eq(row->durations.max, 40);
    ck_assert_double_eq(report->accounting.residue_ns, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(recursion_in_a_batch_is_counted_the_same_and_has_the_rate_of_its_outermost_call)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    int visit = sw_action("visit");
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        descend(sw, visit, 4);
        sw_end_batch(sw, 8);
    }
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = row_of(report, "train", "visit");

    ck_assert_int_eq(row->calls, 12);
    ck_assert_double_eq(row->total_ns, 3 * 40);
    ck_assert_double_eq(row->self_ns, 3 * 40);
    ck_assert_int_eq(row->rates.count, 3);
    ck_assert_double_eq_tol(row->samples_per_s, 8 / 40e-9, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* Every second call is another action: neither is inside of itself alone. */
START_TEST(two_actions_that_call_each_other_have_each_its_outermost_calls)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int even = sw_action("even"), odd = sw_action("odd");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4; i++) {
        sw_begin(sw, i % 2 ? odd : even);
        probe_wait(10);
    }
    for (int i = 4; i-- > 0;)
        sw_end(sw, i % 2 ? odd : even);
    struct sw_report *report = report_of(sw);

    ck_assert_double_eq(row_of(report, "fit", "even")->total_ns, 40);
    ck_assert_double_eq(row_of(report, "fit", "odd")->total_ns, 30);
    ck_assert_double_eq(row_of(report, "fit", "even")->self_ns, 20);
    ck_assert_int_eq(row_of(report, "fit", "odd")->calls, 2);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(after_recursion_an_action_is_measured_as_before)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int visit = sw_action("visit");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 100; i++) {
        descend(sw, visit, 1 + i % 3);
        probe_wait(5);
    }
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(row_of(report, "fit", "visit")->calls, 34 + 33 * 2 + 33 * 3);
    ck_assert_double_eq(row_of(report, "fit", "visit")->total_ns, 10 * (34 + 33 * 2 + 33 * 3));
    ck_assert_double_eq(report->accounting.other_ns, 100 * 5);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- what really went through ---------------------------------------------------------------- */

static void batch(struct sw_profiler *sw, int64_t draw_ns, int64_t batch_ns, int64_t samples)
{
    sw_begin(sw, SW_DRAW);
    probe_wait(draw_ns);
    sw_next(sw, SW_BATCH);
    probe_wait(batch_ns);
    sw_end_batch(sw, samples);
}

/* 41 steps of 100 samples: one warms up, seven wait for the loader. */
static void stalling_loop(struct sw_profiler *sw)
{
    for (int i = 0; i < 41; i++)
        batch(sw, i == 0 ? 113000000 : i % 6 == 3 ? 141000000 : 186000, 1000000, 100);
}

START_TEST(the_overall_rate_is_samples_by_elapsed_time_beside_the_mean_of_rates)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    sw_begin(sw, SW_FIT);
    probe_wait(5000000000);
    sw_begin(sw, SW_TRAIN);
    stalling_loop(sw);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);

    ck_assert_double_eq_tol(row_of(report, "train", "step")->samples_per_s, 69685, 0.5);
    ck_assert_double_eq_tol(report->overall_train.samples_per_s, 3574, 0.5);
    ck_assert_int_eq(report->overall_train.samples, 4100);
    ck_assert_double_eq(report->overall_train.elapsed_ns, 1147138000);
    ck_assert(isnan(report->overall_valid.samples_per_s));
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(time_between_the_steps_counts_and_validation_within_train_does_not)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 4; i++) {
        batch(sw, 10, 40, 8);
        probe_wait(50);
        sw_begin(sw, SW_VALID);
        batch(sw, 5, 20, 3);
        probe_wait(975);
        sw_end(sw, SW_VALID);
    }
    sw_end(sw, SW_TRAIN);
    struct sw_report *report = report_of(sw);

    ck_assert_double_eq(report->overall_train.elapsed_ns, 4 * 100);
    ck_assert_double_eq(report->overall_valid.elapsed_ns, 4 * 1000);
    ck_assert_double_eq_tol(report->overall_train.samples_per_s, 32 / 400e-9, 1);
    ck_assert_double_eq_tol(report->overall_valid.samples_per_s, 12 / 4000e-9, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(without_train_the_phase_is_from_the_first_step_to_the_last)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    sw_begin(sw, SW_FIT);
    probe_wait(12345);
    for (int epoch = 0; epoch < 2; epoch++) {
        for (int i = 0; i < 3; i++) {
            batch(sw, 10, 40, 8);
            probe_wait(50);
        }
        sw_begin(sw, SW_VALID);
        batch(sw, 0, 7000, 8);
        sw_end(sw, SW_VALID);
    }
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);

    ck_assert_double_eq(report->overall_train.elapsed_ns, 6 * 100 - 50);
    ck_assert_double_eq(report->overall_valid.elapsed_ns, 2 * 7000);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_report_of_a_running_fit_has_the_time_until_now_but_for_pauses)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    sw_begin(sw, SW_TRAIN);
    batch(sw, 10, 90, 8);
    sw_pause(sw);
    probe_wait(1000000);
    sw_resume(sw);
    probe_wait(300);
    struct sw_report *report = report_of(sw);

    ck_assert_double_eq(report->overall_train.elapsed_ns, 400);
    ck_assert(isnan(row_of(report, "fit", "train")->samples_per_s));
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(each_fit_has_its_own_overall_rate)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    for (int fit = 1; fit <= 2; fit++) {
        sw_begin(sw, SW_FIT);
        batch(sw, 0, 100, fit * 10);
        sw_end(sw, SW_FIT);
        struct sw_report *report = report_of(sw);
        ck_assert_int_eq(report->overall_train.samples, fit * 10);
        ck_assert_double_eq(report->overall_train.elapsed_ns, 100);
        sw_report_free(report);
    }
    sw_close(sw, NULL);
}
END_TEST

/* ---- own actions around the loop ------------------------------------------------------------- */

static void spend(struct sw_profiler *sw, const char *name, int times, int64_t ns)
{
    int action = sw_action(name);
    for (int i = 0; i < times; i++) {
        sw_begin(sw, action);
        probe_wait(ns);
        sw_end(sw, action);
    }
}

static void nothing_is_under_threads(const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        ck_assert_str_ne(sw_report_row(report, i)->phase, "threads");
    ck_assert_double_eq(report->accounting.residue_ns, 0);
    ck_assert_double_eq(report->accounting.accounted_ns + report->accounting.other_ns,
                        report->fit_ns);
}

/* More regions than wait for their histogram, and draws among them. */
START_TEST(what_ran_before_a_fit_and_after_it_is_the_loops_and_in_no_share)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    spend(sw, "load", 300, 1000);
    spend(sw, "draw", 3, 7);
    sw_begin(sw, SW_FIT);
    spend(sw, "load", 2, 10);
    batch(sw, 10, 70, 8);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    nothing_is_under_threads(report);
    ck_assert_double_eq(report->fit_ns, 100);
    ck_assert_double_eq(report->accounting.accounted_ns, 100);
    ck_assert_int_eq(row_of(report, "before", "load")->calls, 300);
    ck_assert_double_eq(row_of(report, "before", "load")->total_ns, 300000);
    ck_assert(isnan(row_of(report, "before", "load")->share));
    ck_assert_double_eq(row_of(report, "fit", "load")->total_ns, 20);
    ck_assert_double_eq(row_of(report, "train", "draw")->total_ns, 10);
    sw_report_free(report);

    spend(sw, "save", 200, 50);
    report = report_of(sw);
    nothing_is_under_threads(report);
    ck_assert_int_eq(report->fit, 1);
    ck_assert(report->amended);
    ck_assert_int_eq(row_of(report, "before", "load")->calls, 300);
    ck_assert_int_eq(row_of(report, "after", "save")->calls, 200);
    ck_assert_double_eq_tol(sw_quantile(&row_of(report, "after", "save")->durations, 0.5), 50, 1);
    sw_report_free(report);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_uint_eq(probe.report_count, 2);
    ck_assert_int_eq(probe.report[1].fit, 1);
}
END_TEST

START_TEST(what_ran_between_two_fits_is_before_the_second)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    for (int fit = 0; fit < 2; fit++) {
        spend(sw, "load", 5 + fit, 1000);
        sw_begin(sw, SW_FIT);
        batch(sw, 10, 90, 8);
        sw_end(sw, SW_FIT);
        struct sw_report *report = report_of(sw);
        nothing_is_under_threads(report);
        ck_assert_int_eq(row_of(report, "before", "load")->calls, 5 + fit);
        sw_report_free(report);
    }
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 2);
}
END_TEST

/* A trial validation before the fit, as some frameworks make it, is a fit of its own. */
START_TEST(a_loop_before_a_fit_is_a_fit_that_the_fit_ends_with_its_report)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    sw_begin(sw, SW_VALID);
    batch(sw, 100, 1900, 8);
    sw_end(sw, SW_VALID);
    probe_wait(500);
    sw_begin(sw, SW_FIT);
    batch(sw, 10, 90, 8);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    ck_assert_int_eq(probe_messages, 0);
    ck_assert_uint_eq(probe.report_count, 2);
    ck_assert_double_eq(probe.report[0].fit_ns, 2500);
    ck_assert_double_eq(probe.report[1].fit_ns, 100);
}
END_TEST

START_TEST(a_second_begin_of_fit_ends_the_first_with_its_report)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    batch(sw, 10, 990, 8);
    sw_begin(sw, SW_FIT);
    sw_flush(sw, 1000000000);
    ck_assert_uint_eq(probe_messages, 2);
    batch(sw, 10, 90, 8);
    struct sw_report *report = report_of(sw);
    nothing_is_under_threads(report);
    ck_assert_int_eq(report->fit, 2);
    ck_assert_double_eq(report->fit_ns, 100);
    ck_assert_double_eq(row_of(report, "train", "step")->total_ns, 100);
    sw_report_free(report);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 2);
}
END_TEST

START_TEST(in_a_loop_without_fit_own_actions_before_it_are_in_the_fit)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    probe_wait(77);
    for (int fit = 0; fit < 2; fit++) {
        int64_t begin = probe_now;
        spend(sw, "load", 300, 10);
        probe_wait(500);
        batch(sw, 10, 90, 8);
        spend(sw, "load", 1, 400);
        sw_end(sw, SW_FIT);
        struct sw_report *report = report_of(sw);
        nothing_is_under_threads(report);
        ck_assert_double_eq(report->fit_ns, (double)(probe_now - begin));
        ck_assert_double_eq(report->accounting.other_ns, 500);
        ck_assert_int_eq(row_of(report, "fit", "load")->calls, 301);
        ck_assert_double_eq(row_of(report, "fit", "load")->share, 3400.0 / 4000);
        sw_report_free(report);
    }
    sw_close(sw, NULL);
    ck_assert_double_eq(probe.report[0].residue_ns, 0);
    ck_assert_double_eq(probe.report[1].residue_ns, 0);
}
END_TEST

START_TEST(a_loop_without_fit_begins_with_its_first_region_whatever_is_called_before)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    for (int fit = 0; fit < 2; fit++) {
        sw_log(sw, "seed", 1);
        sw_note(sw, "ready");
        sw_pause(sw);
        sw_resume(sw);
        sw_span_end(sw, sw_span_begin(sw, sw_action("load")));
        probe_wait(1000000);
        batch(sw, 10, 90, 8);
        sw_end(sw, SW_FIT);
    }
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 2);
    ck_assert_double_eq(probe.report[0].fit_ns, 100);
    ck_assert_double_eq(probe.report[1].fit_ns, 100);
}
END_TEST

START_TEST(an_own_action_around_a_fit_is_after_it_and_around_a_loop_without_fit_in_it)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    int whole = sw_action("whole");
    sw_begin(sw, whole);
    probe_wait(100);
    if (_i)
        sw_begin(sw, SW_FIT);
    batch(sw, 10, 90, 8);
    if (_i)
        sw_end(sw, SW_FIT);
    probe_wait(50);
    sw_end(sw, whole);
    struct sw_report *report = report_of(sw);
    nothing_is_under_threads(report);
    ck_assert_double_eq(row_of(report, _i ? "after" : "fit", "whole")->total_ns, 250);
    sw_report_free(report);
    sw_close(sw, NULL);
    ck_assert_double_eq(probe.report[0].residue_ns, 0);
    ck_assert_int_eq(probe.report[0].misuses, 0);
    ck_assert_double_eq(probe.report[0].fit_ns, _i ? 100 : 250);
}
END_TEST

START_TEST(own_actions_alone_make_a_report)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    int outer = sw_action("outer");
    probe_wait(77);
    sw_begin(sw, outer);
    probe_wait(30);
    spend(sw, "load", 300, 10);
    sw_end(sw, outer);
    probe_wait(70);
    struct sw_report *report = report_of(sw);
    nothing_is_under_threads(report);
    ck_assert_double_eq(report->fit_ns, 30 + 3000 + 70);
    ck_assert_double_eq(row_of(report, "fit", "outer")->total_ns, 3030);
    ck_assert_double_eq(row_of(report, "fit", "outer")->self_ns, 30);
    ck_assert_double_eq(report->accounting.other_ns, 70);
    sw_report_free(report);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 1);
    ck_assert_int_eq(probe.report[0].fit, 1);
    ck_assert_double_eq(probe.report[0].fit_ns, 3100);
    ck_assert_double_eq(probe.report[0].residue_ns, 0);
}
END_TEST

START_TEST(nothing_at_all_makes_none)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    sw_log(sw, "loss", 1);
    sw_end(sw, sw_action("never begun"));
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 0);
}
END_TEST

/* Runs own actions, and a fit before them, and ends by exit() or by a signal. */
static void end_without_close(bool fit, bool by_signal)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text(
        "profiler: { show_report: false }\nlogger_callback: [csv: { path: out.csv }]\n", &err);
    if (!sw)
        _exit(99);
    if (fit) {
        sw_begin(sw, SW_FIT);
        probe_step(sw, 1);
        sw_end(sw, SW_FIT);
    }
    spend(sw, "export", 3, 0);
    if (!by_signal)
        exit(3);
    raise(SIGTERM);
    sleep(60);
}

START_TEST(they_do_also_where_the_program_ends_without_sw_close)
{
    int status = -1;
    size_t size;
    scratch_enter();
    pid_t child = fork();
    if (child == 0)
        end_without_close(_i & 1, _i & 2);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(_i & 2 ? WTERMSIG(status) : WEXITSTATUS(status), _i & 2 ? SIGTERM : 3);
    char *text = scratch_read("out.csv", &size);
    ck_assert_msg(strstr(text, _i & 1 ? "\nafter,export," : "\nfit,export,") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "threads"));
    free(text);
}
END_TEST

/* An own region that is ended around the fit ends it, with its report. */
START_TEST(a_fit_within_an_own_action_that_ends_is_ended)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    int whole = sw_action("whole");
    sw_begin(sw, whole);
    sw_begin(sw, SW_FIT);
    batch(sw, 10, 90, 8);
    sw_end(sw, whole);
    sw_close(sw, NULL);
    ck_assert_uint_ge(probe.report_count, 1);
    ck_assert_int_eq(probe.report[0].train_calls, 1);
    ck_assert_double_eq(probe.report[0].residue_ns, 0);
}
END_TEST

static atomic_bool loop_done;

static bool is_twice(const struct sw_report *report, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(sw_report_row(report, k)->phase, sw_report_row(report, i)->phase) == 0 &&
            strcmp(sw_report_row(report, k)->action, sw_report_row(report, i)->action) == 0)
            return true;
    return false;
}

static void *rows_look(void *sw)
{
    const char *wrong = NULL;
    while (!atomic_load(&loop_done)) {
        struct sw_report *report = report_of(sw);
        for (size_t i = 0; i < report->count; i++)
            if (is_twice(report, i) || strcmp(sw_report_row(report, i)->phase, "threads") == 0)
                wrong = "a row is there twice, or under threads";
        sw_report_free(report);
    }
    return (void *)wrong;
}

/* By the real clock: two threads read it. */
START_TEST(a_report_that_is_asked_for_while_fits_begin_and_end_has_each_row_once)
{
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }", NULL);
    pthread_t thread;
    void *wrong = NULL;
    atomic_store(&loop_done, false);
    spend(sw, "load", 1, 10);
    ck_assert_int_eq(pthread_create(&thread, NULL, rows_look, sw), 0);
    for (int fit = 0; fit < 300; fit++) {
        spend(sw, "load", fit % 200, 10);
        if (fit % 3)
            sw_begin(sw, SW_FIT);
        for (int i = 0; i < 10; i++)
            batch(sw, 10, 90, 8);
        spend(sw, "load", 3, 10);
        sw_end(sw, SW_FIT);
    }
    atomic_store(&loop_done, true);
    pthread_join(thread, &wrong);
    ck_assert_ptr_null(wrong);
    sw_close(sw, NULL);
}
END_TEST

static void *steps_elsewhere(void *sw)
{
    for (int i = 0; i < 4; i++)
        batch(sw, 5, 20, 8);
    return NULL;
}

START_TEST(steps_on_another_thread_than_the_fit_are_under_threads)
{
    struct sw_profiler *sw = probe_open("mode: throughput");
    pthread_t thread;
    sw_begin(sw, SW_FIT);
    ck_assert_int_eq(pthread_create(&thread, NULL, steps_elsewhere, sw), 0);
    pthread_join(thread, NULL);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(row_of(report, "threads", "batch")->calls, 4);
    ck_assert_int_eq(row_of(report, "train", "batch")->calls, 0);
    ck_assert_int_eq(report->accounting.steps, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- calls that do not fit ------------------------------------------------------------------- */

static int64_t times_of(const struct sw_report *report, const char *text)
{
    for (size_t i = 0; i < report->misuse_count; i++)
        if (strcmp(sw_report_misuse(report, i)->text, text) == 0)
            return sw_report_misuse(report, i)->times;
    return 0;
}

START_TEST(each_kind_of_misuse_is_reported_once_for_each_action_and_counted)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 5; i++) {
        sw_end(sw, SW_FORWARD);
        sw_end(sw, SW_LOSS);
        sw_cancel(sw, SW_LOSS);
        sw_begin(sw, SW_FORWARD);
        sw_begin(sw, SW_LOSS);
        sw_end(sw, SW_FORWARD);
    }
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(probe_messages, 4);
    ck_assert_str_eq(probe_message,
                     "ending forward discarded loss, which was still open: such calls are ignored; "
                     "the report counts them; this warning appears once");
    ck_assert_uint_eq(report->misuse_count, 4);
    ck_assert_int_eq(times_of(report, "forward was ended without a begin"), 5);
    ck_assert_int_eq(times_of(report, "loss was ended without a begin"), 5);
    ck_assert_int_eq(times_of(report, "loss was cancelled without a begin"), 5);
    ck_assert_int_eq(times_of(report, "ending forward discarded loss, which was still open"), 5);
    ck_assert_int_eq(report->accounting.misuses, 15);
    ck_assert_int_eq(report->accounting.discarded, 5);
    sw_report_free(report);
    sw_end(sw, SW_FIT);

    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_LOSS);
    sw_end(sw, SW_FIT);
    report = report_of(sw);
    ck_assert_int_eq(probe_messages, 4); /* said before, and counted anew */
    ck_assert_uint_eq(report->misuse_count, 1);
    ck_assert_int_eq(times_of(report, "loss was ended without a begin"), 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* Each step, or the last one, or before a validation. */
START_TEST(a_forgotten_end_of_a_batch_is_named)
{
    static const char *const texts[] = {
        "batch was begun twice: sw_end_batch() is missing",
        "ending train discarded batch, which was still open: sw_end_batch() is missing",
        "batch was open when valid began: sw_end_batch() is missing",
        "batch was open at sw_close(): sw_end_batch() is missing",
    };
    struct sw_profiler *sw = probe_open("mode: simple");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 3 && (_i == 0 || i == 0); i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
    }
    if (_i == 1)
        sw_end(sw, SW_TRAIN);
    if (_i == 2)
        sw_begin(sw, SW_VALID);
    if (_i == 3)
        sw_close(sw, NULL);
    else
        sw_flush(sw, 1000000000);
    ck_assert_msg(strncmp(probe_message, texts[_i], strlen(texts[_i])) == 0, "%s", probe_message);
    if (_i == 3)
        return;
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(times_of(report, texts[_i]), _i ? 1 : 2);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(kinds_of_misuse_have_a_bound_and_the_rest_is_counted)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    char name[32];
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "own %d", i);
        sw_end(sw, sw_action(name));
    }
    struct sw_report *report = report_of(sw);
    int64_t all = 0;
    for (size_t i = 0; i < report->misuse_count; i++)
        all += sw_report_misuse(report, i)->times;
    ck_assert_int_eq(all, 1000);
    ck_assert_uint_lt(report->misuse_count, 100);
    ck_assert_int_gt(times_of(report, "other kinds"), 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- several calls in one batch -------------------------------------------------------------- */

static void micro_batches(struct sw_profiler *sw, int count)
{
    sw_begin(sw, SW_BATCH);
    for (int i = 0; i < count; i++) {
        sw_begin(sw, SW_FORWARD);
        probe_wait(100);
        sw_next(sw, SW_BACKWARD);
        probe_wait(200);
        sw_end(sw, SW_BACKWARD);
    }
    sw_begin(sw, SW_OPT_STEP);
    probe_wait(50);
    sw_end(sw, SW_OPT_STEP);
    sw_end_batch(sw, 64);
}

static const char *const phases[] = {"train", "valid"};

START_TEST(calls_of_one_action_in_a_batch_share_its_samples)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, _i ? SW_VALID : SW_TRAIN);
    for (int i = 0; i < 5; i++)
        micro_batches(sw, 4);
    struct sw_report *report = report_of(sw);

    const struct sw_report_row *forward = row_of(report, phases[_i], "forward");
    ck_assert_int_eq(forward->calls, 20);
    ck_assert_int_eq(forward->rates.count, 20);
    ck_assert_double_eq_tol(forward->samples_per_s, 16 / 100e-9, 1);
    ck_assert_double_eq_tol(row_of(report, phases[_i], "backward")->samples_per_s, 16 / 200e-9, 1);
    ck_assert_double_eq_tol(row_of(report, phases[_i], "opt_step")->samples_per_s, 64 / 50e-9, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(rolling_averages_share_them_too_until_the_window_has_passed)
{
    struct sw_profiler *sw = probe_open("mode: simple, rolling_average: 4");
    for (int i = 0; i < 13; i++)
        micro_batches(sw, i < 9 ? 4 : 1);
    sw_close(sw, NULL);

    double forward[3] = {0}, opt_step[3] = {0};
    size_t n = 0, m = 0;
    for (size_t i = 0; i < probe.metric_count; i++) {
        if (strcmp(probe.metric[i].name, "throughput/forward") == 0)
            forward[n++ % 3] = probe.metric[i].value;
        if (strcmp(probe.metric[i].name, "throughput/opt_step") == 0)
            opt_step[m++ % 3] = probe.metric[i].value;
    }
    ck_assert_uint_eq(n, 2); /* at step 5: all of four; at step 9: three of four */
    ck_assert_double_eq_tol(forward[0], 64 / 400e-9, 1);
    ck_assert_double_eq_tol(forward[1], 4 * 64 / 1300e-9, 1);
    ck_assert_double_eq_tol(opt_step[0], 64 / 50e-9, 1);
    ck_assert_double_eq_tol(opt_step[1], 64 / 50e-9, 1);
}
END_TEST

/* More regions than a batch keeps: those that were folded are calls of it like the others. */
START_TEST(a_batch_of_very_many_calls_gives_each_its_share)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    int own = sw_action("micro");
    for (int k = 0; k < 2; k++) {
        sw_begin(sw, SW_BATCH);
        for (int i = 0; i < 100000; i++) {
            sw_begin(sw, own);
            probe_wait(2);
            sw_end(sw, own);
        }
        sw_end_batch(sw, 10);
    }
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq_tol(row_of(report, "train", "micro")->samples_per_s, 10 / 200000e-9, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- rows without calls ---------------------------------------------------------------------- */

START_TEST(a_row_without_calls_has_no_rate)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    batch(sw, 10, 90, 8);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(row_of(report, "fit", "train")->calls, 0);
    ck_assert(isnan(row_of(report, "fit", "train")->samples_per_s));
    ck_assert_double_eq_tol(row_of(report, "train", "step")->samples_per_s, 8 / 100e-9, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- what runs in a draw --------------------------------------------------------------------- */

/* With a sink that is told of each step, and without any sink. */
static struct sw_profiler *open_draws(int sinks, const char *more)
{
    char text[256];
    if (sinks)
        return probe_open(more);
    snprintf(text, sizeof text, "profiler: { %s, show_report: false, accounting: false }", more);
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text(text, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    probe_attach(sw);
    return sw;
}

/* A draw that loads for so long, and a batch of 5 ns that loads for 2 ns more. */
static void loading_step(struct sw_profiler *sw, int64_t ns)
{
    int load = sw_action("load"), decode = sw_action("decode");
    sw_begin(sw, SW_DRAW);
    sw_begin(sw, load);
    sw_begin(sw, decode);
    probe_wait(ns / 2);
    sw_end(sw, decode);
    probe_wait(ns - ns / 2);
    sw_end(sw, load);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, load);
    probe_wait(2);
    sw_end(sw, load);
    probe_wait(3);
    sw_end_batch(sw, 8);
}

static void assert_loaded(struct sw_profiler *sw, const char *phase, int64_t calls, double total)
{
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *load = row_of(report, phase, "load");
    ck_assert_int_eq(load->calls, calls);
    ck_assert_double_eq(load->total_ns, total);
    ck_assert_double_eq(report->accounting.residue_ns, 0);
    sw_report_free(report);
}

START_TEST(what_runs_in_a_draw_is_left_out_with_it)
{
    struct sw_profiler *sw = open_draws(_i, "mode: simple");
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(sw, SW_FIT);
        sw_begin(sw, SW_TRAIN);
        for (int i = 0; i < 3; i++)
            loading_step(sw, i ? 10 : 1000);
        sw_end(sw, SW_TRAIN);
        sw_begin(sw, SW_VALID);
        for (int i = 0; i < 2; i++)
            loading_step(sw, i ? 20 : 500);
        sw_end(sw, SW_VALID);
        sw_end(sw, SW_FIT);
        assert_loaded(sw, "train", 4, 24);
        assert_loaded(sw, "valid", 2, 22);
    }
    sw_close(sw, NULL);
}
END_TEST

START_TEST(what_runs_in_a_draw_counts_where_nothing_is_left_out)
{
    struct sw_profiler *sw = open_draws(_i, "mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 3; i++)
        loading_step(sw, i ? 10 : 1000);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    assert_loaded(sw, "train", 6, 1026);
    sw_close(sw, NULL);
}
END_TEST

/* Its draw makes a loop without train one of training, as its batch does. */
START_TEST(without_train_what_runs_in_a_draw_is_of_training)
{
    struct sw_profiler *sw = open_draws(_i, "mode: simple");
    for (int i = 0; i < 3; i++) {
        loading_step(sw, i ? 10 : 1000);
        sw_begin(sw, sw_action("load")); /* between two steps */
        probe_wait(7);
        sw_end(sw, sw_action("load"));
    }
    assert_loaded(sw, "train", 4, 24);
    assert_loaded(sw, "fit", 3, 21);
    sw_close(sw, NULL);
}
END_TEST

/* As what ends in a region that is cancelled. */
START_TEST(what_runs_in_a_draw_that_no_batch_follows_counts)
{
    struct sw_profiler *sw = open_draws(_i, "mode: simple");
    int load = sw_action("load");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, SW_DRAW);
    sw_begin(sw, load);
    probe_wait(10);
    sw_end(sw, load);
    sw_cancel(sw, SW_DRAW);
    loading_step(sw, 1000);
    sw_begin(sw, SW_DRAW);
    sw_begin(sw, load);
    probe_wait(20);
    sw_end(sw, load);
    sw_end(sw, SW_DRAW);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    assert_loaded(sw, "train", 2, 30);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_draw_may_have_any_number_of_regions)
{
    struct sw_profiler *sw = open_draws(_i, "mode: simple");
    int load = sw_action("load");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 2; i++) {
        sw_begin(sw, SW_DRAW);
        for (int k = 0; k < 70000; k++) {
            sw_begin(sw, load);
            probe_wait(i ? 1 : 50);
            sw_end(sw, load);
        }
        sw_next(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    assert_loaded(sw, "train", 70000, 70000);
    sw_close(sw, NULL);
}
END_TEST

/* A builtin action is in one region at a time, in whatever phase it was begun. */
START_TEST(an_action_that_was_open_when_train_began_is_replaced)
{
    struct sw_profiler *sw = open_draws(_i, "mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_FORWARD);
    sw_begin(sw, SW_TRAIN);
    loading_step(sw, 10);
    sw_begin(sw, SW_FORWARD);
    probe_wait(5);
    sw_end(sw, SW_FORWARD);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_int_gt(report->accounting.misuses, 0);
    ck_assert_int_eq(row_of(report, "fit", "forward")->calls, 1);
    ck_assert_double_eq(row_of(report, "fit", "forward")->total_ns, 5);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

SUITE(figures)
{
    tcase_add_loop_test(tc, what_runs_in_a_draw_is_left_out_with_it, 0, 2);
    tcase_add_loop_test(tc, what_runs_in_a_draw_counts_where_nothing_is_left_out, 0, 2);
    tcase_add_loop_test(tc, without_train_what_runs_in_a_draw_is_of_training, 0, 2);
    tcase_add_loop_test(tc, what_runs_in_a_draw_that_no_batch_follows_counts, 0, 2);
    tcase_add_loop_test(tc, a_draw_may_have_any_number_of_regions, 0, 2);
    tcase_add_loop_test(tc, an_action_that_was_open_when_train_began_is_replaced, 0, 2);
    tcase_add_test(tc, the_overall_rate_is_samples_by_elapsed_time_beside_the_mean_of_rates);
    tcase_add_test(tc, time_between_the_steps_counts_and_validation_within_train_does_not);
    tcase_add_test(tc, without_train_the_phase_is_from_the_first_step_to_the_last);
    tcase_add_test(tc, a_report_of_a_running_fit_has_the_time_until_now_but_for_pauses);
    tcase_add_test(tc, each_fit_has_its_own_overall_rate);
    tcase_add_test(tc, what_ran_before_a_fit_and_after_it_is_the_loops_and_in_no_share);
    tcase_add_test(tc, what_ran_between_two_fits_is_before_the_second);
    tcase_add_test(tc, a_loop_before_a_fit_is_a_fit_that_the_fit_ends_with_its_report);
    tcase_add_test(tc, a_second_begin_of_fit_ends_the_first_with_its_report);
    tcase_add_test(tc, in_a_loop_without_fit_own_actions_before_it_are_in_the_fit);
    tcase_add_test(tc, a_loop_without_fit_begins_with_its_first_region_whatever_is_called_before);
    tcase_add_loop_test(
        tc, an_own_action_around_a_fit_is_after_it_and_around_a_loop_without_fit_in_it, 0, 2);
    tcase_add_test(tc, own_actions_alone_make_a_report);
    tcase_add_loop_test(tc, they_do_also_where_the_program_ends_without_sw_close, 0, 4);
    tcase_add_test(tc, nothing_at_all_makes_none);
    tcase_add_test(tc, a_fit_within_an_own_action_that_ends_is_ended);
    tcase_add_test(tc, a_report_that_is_asked_for_while_fits_begin_and_end_has_each_row_once);
    tcase_add_test(tc, steps_on_another_thread_than_the_fit_are_under_threads);
    tcase_add_test(tc, each_kind_of_misuse_is_reported_once_for_each_action_and_counted);
    tcase_add_loop_test(tc, a_forgotten_end_of_a_batch_is_named, 0, 4);
    tcase_add_test(tc, kinds_of_misuse_have_a_bound_and_the_rest_is_counted);
    tcase_add_loop_test(tc, calls_of_one_action_in_a_batch_share_its_samples, 0, 2);
    tcase_add_test(tc, rolling_averages_share_them_too_until_the_window_has_passed);
    tcase_add_test(tc, a_batch_of_very_many_calls_gives_each_its_share);
    tcase_add_test(tc, a_row_without_calls_has_no_rate);
    tcase_add_loop_test(tc, of_calls_inside_of_each_other_the_outermost_makes_the_total, 0, 2);
    tcase_add_test(tc,
                   recursion_in_a_batch_is_counted_the_same_and_has_the_rate_of_its_outermost_call);
    tcase_add_test(tc, two_actions_that_call_each_other_have_each_its_outermost_calls);
    tcase_add_test(tc, after_recursion_an_action_is_measured_as_before);
}
