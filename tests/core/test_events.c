/* SPDX-License-Identifier: MIT */
/* Events of frameworks with callbacks: what they measure, and the functions that a program adds. */
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char called[256];

static void note(void *arg, enum sw_event event)
{
    size_t used = strlen(called);
    probe_wait(3);
    snprintf(called + used, sizeof called - used, "%s%d ", (const char *)arg, (int)event);
}

static void event(struct sw_profiler *sw, enum sw_event event)
{
    sw_event(sw, event);
    probe_wait(10);
}

static void begun(struct sw_profiler *sw)
{
    event(sw, SW_AFTER_CREATE);
    event(sw, SW_BEFORE_FIT);
    event(sw, SW_BEFORE_EPOCH);
    event(sw, SW_BEFORE_TRAIN);
}

static void step(struct sw_profiler *sw)
{
    static const enum sw_event events[] = {SW_BEFORE_DRAW, SW_BEFORE_BATCH,    SW_AFTER_PRED,
                                           SW_AFTER_LOSS,  SW_BEFORE_BACKWARD, SW_AFTER_BACKWARD,
                                           SW_BEFORE_STEP, SW_AFTER_STEP};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        event(sw, events[i]);
    sw_event_batch(sw, 4);
}

static struct sw_report *ended(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    struct sw_error err;
    sw_event(sw, SW_AFTER_FIT);
    ck_assert_int_gt(sw_report_new(sw, &report, &err), 0);
    ck_assert_int_eq(report->accounting.misuses, 0);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    return report;
}

static int64_t calls_of(const struct sw_report *report, const char *phase, const char *action)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    return row ? row->calls : 0;
}

#define YAML "mode: simple, drop_first_batch: false"

START_TEST(events_that_measure_nothing_change_nothing)
{
    struct sw_profiler *sw = probe_open(YAML);
    begun(sw);
    step(sw);
    sw_event(sw, SW_BEFORE_DRAW);
    sw_event(sw, SW_BEFORE_BATCH);
    sw_event(sw, SW_AFTER_PRED);
    sw_event(sw, SW_AFTER_LOSS);
    sw_event(sw, SW_BEFORE_BACKWARD);
    event(sw, SW_AFTER_CANCEL_BACKWARD);
    sw_event(sw, SW_BEFORE_STEP);
    event(sw, SW_AFTER_CANCEL_STEP);
    sw_event(sw, SW_AFTER_STEP);
    sw_event_batch(sw, 4);
    sw_event(sw, SW_AFTER_TRAIN);
    sw_event(sw, SW_AFTER_EPOCH);
    struct sw_report *report = ended(sw);
    ck_assert_int_eq(calls_of(report, "train", "backward"), 2);
    ck_assert_double_eq_tol(probe_row(report, "train", "backward")->total_ns, 20 + 10, 1e-6);
    ck_assert_double_eq_tol(probe_row(report, "train", "opt_step")->total_ns, 10 + 10, 1e-6);
    sw_report_free(report);
}
END_TEST

/* A batch is open, as an exception leaves it; then come the events of the source frameworks. */
static const struct {
    enum sw_event cancel;
    enum sw_event then[4];
    int epochs, trains;
} cancels[] = {
    {SW_AFTER_CANCEL_TRAIN, {SW_AFTER_TRAIN, SW_AFTER_EPOCH, SW_AFTER_CREATE}, 1, 1},
    {SW_AFTER_CANCEL_EPOCH, {SW_AFTER_EPOCH, SW_AFTER_CREATE}, 1, 0},
    {SW_AFTER_CANCEL_FIT, {SW_AFTER_CREATE}, 0, 0},
};

START_TEST(a_part_of_the_loop_that_is_cancelled_leaves_out_what_is_open_in_it)
{
    struct sw_profiler *sw = probe_open(YAML);
    begun(sw);
    step(sw);
    event(sw, SW_BEFORE_DRAW);
    event(sw, SW_BEFORE_BATCH);
    event(sw, SW_AFTER_PRED);
    sw_event(sw, cancels[_i].cancel);
    for (int i = 0; cancels[_i].then[i] != SW_AFTER_CREATE; i++)
        sw_event(sw, cancels[_i].then[i]);
    struct sw_report *report = ended(sw);
    ck_assert_int_eq(report->accounting.steps, 1);
    ck_assert_int_eq(calls_of(report, "train", "batch"), 1);
    ck_assert_int_eq(calls_of(report, "train", "forward"), 1);
    ck_assert_int_eq(calls_of(report, "fit", "epoch"), cancels[_i].epochs);
    ck_assert_int_eq(calls_of(report, "fit", "train"), cancels[_i].trains);
    sw_report_free(report);
}
END_TEST

START_TEST(a_validation_that_is_cancelled_still_counts)
{
    struct sw_profiler *sw = probe_open(YAML);
    begun(sw);
    step(sw);
    sw_event(sw, SW_AFTER_TRAIN);
    event(sw, SW_BEFORE_VALIDATE);
    event(sw, SW_AFTER_CANCEL_VALIDATE);
    sw_event(sw, SW_AFTER_VALIDATE);
    sw_event(sw, SW_AFTER_EPOCH);
    struct sw_report *report = ended(sw);
    ck_assert_int_eq(calls_of(report, "fit", "valid"), 1);
    sw_report_free(report);
}
END_TEST

/* ---- functions ------------------------------------------------------------------------------- */

START_TEST(functions_are_called_in_the_order_in_which_they_were_added)
{
    struct sw_profiler *sw = probe_open(YAML);
    *called = '\0';
    ck_assert_int_eq(sw_on_event(sw, SW_AFTER_BATCH, note, "a"), 0);
    ck_assert_int_eq(sw_on_event(sw, SW_BEFORE_FIT, note, "b"), 0);
    ck_assert_int_eq(sw_on_event(sw, SW_AFTER_BATCH, note, "c"), 0);
    ck_assert_int_eq(sw_on_event(sw, SW_AFTER_CREATE, note, "d"), 0);
    begun(sw);
    step(sw);
    step(sw);
    char expected[64];
    snprintf(expected, sizeof expected, "d%d b%d a%d c%d a%d c%d ", (int)SW_AFTER_CREATE,
             (int)SW_BEFORE_FIT, (int)SW_AFTER_BATCH, (int)SW_AFTER_BATCH, (int)SW_AFTER_BATCH,
             (int)SW_AFTER_BATCH);
    ck_assert_str_eq(called, expected);
    sw_report_free(ended(sw));
}
END_TEST

/* Of 3 ns each; batch has 10 ns after each of seven events. */
START_TEST(their_time_is_part_of_what_begins_or_ends)
{
    struct sw_profiler *sw = probe_open(YAML);
    sw_on_event(sw, SW_BEFORE_BACKWARD, note, "");
    sw_on_event(sw, SW_AFTER_LOSS, note, "");
    sw_on_event(sw, SW_AFTER_BATCH, note, "");
    begun(sw);
    step(sw);
    struct sw_report *report = ended(sw);
    ck_assert_double_eq_tol(probe_row(report, "train", "backward")->total_ns, 20 + 3, 1e-6);
    ck_assert_double_eq_tol(probe_row(report, "train", "loss")->total_ns, 10 + 3, 1e-6);
    ck_assert_double_eq_tol(probe_row(report, "train", "zero_grad")->total_ns, 10, 1e-6);
    ck_assert_double_eq_tol(probe_row(report, "train", "batch")->total_ns, 70 + 9, 1e-6);
    sw_report_free(report);
}
END_TEST

static void add_another(void *arg, enum sw_event event)
{
    for (int i = 0; i < 20; i++)
        sw_on_event(arg, event, note, "n");
}

START_TEST(a_function_may_add_others_for_the_next_event)
{
    struct sw_profiler *sw = probe_open(YAML);
    *called = '\0';
    sw_on_event(sw, SW_BEFORE_EPOCH, add_another, sw);
    begun(sw);
    ck_assert_str_eq(called, "");
    step(sw);
    sw_report_free(ended(sw));
}
END_TEST

static void *other_thread(void *sw)
{
    sw_event(sw, SW_BEFORE_DRAW);
    return NULL;
}

START_TEST(events_of_other_threads_call_no_function)
{
    struct sw_profiler *sw = probe_open(YAML);
    pthread_t thread;
    *called = '\0';
    sw_on_event(sw, SW_BEFORE_DRAW, note, "");
    begun(sw);
    ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, sw), 0);
    pthread_join(thread, NULL);
    ck_assert_str_eq(called, "");
    sw_event(sw, SW_BEFORE_DRAW);
    ck_assert_str_ne(called, "");
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(what_is_no_event_is_refused)
{
    struct sw_profiler *sw = probe_open(YAML);
    ck_assert_int_eq(sw_on_event(sw, (enum sw_event)(SW_AFTER_CANCEL_FIT + 1), note, ""),
                     SW_EINVAL);
    ck_assert_int_eq(sw_on_event(sw, (enum sw_event) - 1, note, ""), SW_EINVAL);
    ck_assert_int_eq(sw_on_event(sw, SW_BEFORE_FIT, NULL, ""), SW_EINVAL);
    ck_assert_int_eq(sw_on_event(NULL, SW_BEFORE_FIT, note, ""), 0);
    sw_event(sw, (enum sw_event)(SW_AFTER_CANCEL_FIT + 1));
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

SUITE(events)
{
    tcase_add_test(tc, events_that_measure_nothing_change_nothing);
    tcase_add_loop_test(tc, a_part_of_the_loop_that_is_cancelled_leaves_out_what_is_open_in_it, 0,
                        sizeof cancels / sizeof *cancels);
    tcase_add_test(tc, a_validation_that_is_cancelled_still_counts);
    tcase_add_test(tc, functions_are_called_in_the_order_in_which_they_were_added);
    tcase_add_test(tc, their_time_is_part_of_what_begins_or_ends);
    tcase_add_test(tc, a_function_may_add_others_for_the_next_event);
    tcase_add_test(tc, events_of_other_threads_call_no_function);
    tcase_add_test(tc, what_is_no_event_is_refused);
}
