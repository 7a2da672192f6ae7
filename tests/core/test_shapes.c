/* SPDX-License-Identifier: MIT */
/* An action under the shapes of its input is one action, and each shape can be seen apart. */
#include "tests/support/probe.h"
#include "tests/support/recorder.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char small[] = "[[1, 128], [128, 10]]", large[] = "[[64, 128], [128, 10]]";

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    struct sw_error err;
    ck_assert_int_gt(sw_report_new(sw, &report, &err), 0);
    return report;
}

static void close_it(struct sw_profiler *sw)
{
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
}

static void call(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    probe_wait(ns);
    sw_end(sw, action);
}

static void step(struct sw_profiler *sw, int64_t samples, int action, int64_t ns)
{
    sw_begin(sw, SW_BATCH);
    call(sw, action, ns);
    sw_end_batch(sw, samples);
}

/* The row of an action under a shape; NULL: none. */
static const struct sw_report_row *shaped(const struct sw_report *report, const char *action,
                                          const char *shape)
{
    for (size_t i = 0; i < report->shaped_count; i++) {
        const struct sw_report_row *row = sw_report_shaped(report, i);
        if (strcmp(row->action, action) == 0 && strcmp(row->shape, shape) == 0)
            return row;
    }
    return NULL;
}

/* ---- handles ---- */

START_TEST(the_same_action_and_shape_are_the_same_handle)
{
    int handle = sw_action_shaped(SW_FORWARD, large);
    ck_assert_int_eq(sw_action_shaped(SW_FORWARD, large), handle);
    ck_assert_int_ne(sw_action_shaped(SW_FORWARD, small), handle);
    ck_assert_int_ne(sw_action_shaped(SW_BACKWARD, large), handle);
    ck_assert_int_eq(sw_action_shaped(handle, small), sw_action_shaped(SW_FORWARD, small));
    ck_assert_str_eq(sw_action_name(handle), "forward");
    ck_assert_str_eq(sw_action_shape(handle), large);
    ck_assert_str_eq(sw_action_shape(SW_FORWARD), "");
    ck_assert_str_eq(sw_action_shape(-1), "");
}
END_TEST

START_TEST(without_a_shape_a_handle_is_that_of_the_action)
{
    ck_assert_int_eq(sw_action_shaped(SW_FORWARD, NULL), SW_FORWARD);
    ck_assert_int_eq(sw_action_shaped(SW_FORWARD, ""), SW_FORWARD);
    ck_assert_int_eq(sw_action_shaped(SW_BATCH, large), SW_BATCH);
    ck_assert_int_eq(sw_action_shaped(SW_ZERO_GRAD, large), SW_ZERO_GRAD);
    ck_assert_str_eq(sw_action_name(sw_action_shaped(-7, large)), "other");
    ck_assert_str_eq(sw_action_name(sw_action_shaped(1 << 30, large)), "other");
}
END_TEST

START_TEST(dimensions_make_the_text)
{
    const int64_t a[] = {64, 128}, b[] = {128, 10};
    const struct sw_dims inputs[] = {{2, a}, {2, b}, {0, NULL}};
    ck_assert_int_eq(sw_action_dims(SW_FORWARD, inputs, 2), sw_action_shaped(SW_FORWARD, large));
    ck_assert_str_eq(sw_action_shape(sw_action_dims(SW_FORWARD, inputs, 3)),
                     "[[64, 128], [128, 10], []]");
    ck_assert_str_eq(sw_action_shape(sw_action_dims(SW_FORWARD, inputs, 0)), "[]");
}
END_TEST

START_TEST(beyond_a_thousand_shapes_an_action_has_none)
{
    char shape[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(shape, sizeof shape, "[[%d]]", i);
        sw_action_shaped(sw_action("layer"), shape);
    }
    ck_assert_int_eq(sw_action_shaped(sw_action("layer"), "[[7777]]"), sw_action("layer"));
    ck_assert_int_ne(sw_action_shaped(sw_action("layer"), "[[7]]"), sw_action("layer"));
    ck_assert_int_ne(sw_action("a name that is new"), sw_action("layer"));
}
END_TEST

/* ---- reports ---- */

START_TEST(a_report_has_one_row_of_an_action_and_one_for_each_shape)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    step(sw, 1, sw_action_shaped(SW_FORWARD, small), 10);
    step(sw, 64, sw_action_shaped(SW_FORWARD, large), 100);
    step(sw, 64, sw_action_shaped(SW_FORWARD, large), 300);
    step(sw, 1, SW_FORWARD, 20);
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = probe_row(report, "train", "forward");
    ck_assert_int_eq(row->calls, 4);
    ck_assert_int_eq(row->action_id, SW_FORWARD);
    ck_assert_str_eq(row->shape, "");
    ck_assert_double_eq_tol(row->total_ns, 430, 1e-6);
    ck_assert_double_eq_tol(row->durations.min, 10, 1e-6);
    ck_assert_double_eq_tol(row->durations.max, 300, 1e-6);
    ck_assert_int_eq(shaped(report, "forward", small)->calls, 1);
    ck_assert_int_eq(shaped(report, "forward", large)->calls, 2);
    ck_assert_double_eq_tol(shaped(report, "forward", large)->mean_ns, 200, 1e-6);
    ck_assert_int_eq(shaped(report, "forward", "")->calls, 1);
    ck_assert_int_eq(shaped(report, "batch", "")->calls, 4);
    ck_assert_double_eq_tol(report->accounting.residue_ns, 0, 1e-6);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(an_action_whose_calls_all_have_shapes_has_no_row_without)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    step(sw, 64, sw_action_shaped(SW_FORWARD, large), 100);
    struct sw_report *report = report_of(sw);
    ck_assert_ptr_null(shaped(report, "forward", ""));
    ck_assert_ptr_nonnull(shaped(report, "forward", large));
    ck_assert_ptr_nonnull(shaped(report, "backward", ""));
    ck_assert_int_eq((int)report->shaped_count, (int)report->count);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(a_report_without_shapes_has_no_rows_of_them)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_action_shaped(SW_FORWARD, large);
    step(sw, 64, SW_FORWARD, 100);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq((int)report->shaped_count, 0);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

/* A mode that leaves an action out leaves it out under every shape. */
START_TEST(the_mode_holds_for_shapes)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    step(sw, 64, sw_action_shaped(SW_FORWARD, large), 100);
    step(sw, 64, sw_action_shaped(sw_action("layer"), large), 100);
    struct sw_report *report = report_of(sw);
    ck_assert_ptr_null(probe_row(report, "train", "forward"));
    ck_assert_int_eq(probe_row(report, "train", "layer")->calls, 1);
    ck_assert_int_eq(report->accounting.misuses, 0);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

/* Two micro-batches of a step share its samples, whatever their shapes. */
START_TEST(calls_of_a_step_share_its_samples_under_several_shapes)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    for (int i = 0; i < 2; i++) {
        sw_begin(sw, SW_BATCH);
        call(sw, sw_action_shaped(SW_FORWARD, large), 100);
        call(sw, sw_action_shaped(SW_FORWARD, small), 100);
        sw_end_batch(sw, 64);
    }
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq_tol(probe_row(report, "train", "forward")->samples_per_s, 32 * 1e7, 1);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(the_rates_of_an_action_are_those_of_all_its_shapes)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    step(sw, 10, sw_action_shaped(SW_FORWARD, small), 1000);
    step(sw, 20, sw_action_shaped(SW_FORWARD, small), 1000);
    step(sw, 60, sw_action_shaped(SW_FORWARD, large), 1000);
    struct sw_report *report = report_of(sw);
    const struct sw_distribution *rates = &probe_row(report, "train", "forward")->rates;
    ck_assert_int_eq(rates->count, 3);
    ck_assert_double_eq_tol(rates->mean, 30e6, 1);
    ck_assert_double_eq_tol(rates->variance, 1400e12 / 3, 1e6);
    ck_assert_double_eq_tol(rates->min, 10e6, 1);
    ck_assert_double_eq_tol(rates->max, 60e6, 1);
    ck_assert_uint_eq(rates->kept, 3);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(calls_of_a_validation_step_share_its_samples_under_several_shapes)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_VALID);
    sw_begin(sw, SW_BATCH);
    call(sw, sw_action_shaped(SW_PREDICT, small), 1000);
    call(sw, sw_action_shaped(SW_PREDICT, large), 1000);
    sw_end_batch(sw, 8);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq_tol(probe_row(report, "valid", "predict")->samples_per_s, 4e6, 1);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(regions_have_the_action_and_their_shape)
{
    struct sw_profiler *sw = recorder_open("drop_first_batch: false");
    step(sw, 64, sw_action_shaped(SW_FORWARD, large), 100);
    close_it(sw);
    ck_assert_ptr_nonnull(strstr(recorder_text(),
                                 "begin batch 0\nbegin forward 0 [[64, 128], [128, 10]]\n"
                                 "end forward 100 [[64, 128], [128, 10]]\nend batch 100\n"));
}
END_TEST

/* ---- sinks ---- */

/* What the run log has of two steps. */
static void log_make(const char *detail)
{
    char yaml[256];
    struct sw_error err;
    scratch_enter();
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false, drop_first_batch: false }\n"
             "logger_callback: [ runlog: { path: log.jsonl, detail: %s } ]\n",
             detail);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    probe_attach(sw);
    step(sw, 1, sw_action_shaped(SW_FORWARD, small), 10);
    sw_begin(sw, SW_BATCH);
    call(sw, sw_action_shaped(SW_FORWARD, large), 100);
    call(sw, SW_FORWARD, 20);
    call(sw, SW_LOSS, 5);
    sw_end_batch(sw, 64);
    close_it(sw);
}

static void assert_logged(const char *text)
{
    size_t size;
    char *log = scratch_read("log.jsonl", &size);
    ck_assert_msg(strstr(log, text) != NULL, "expected %s in\n%s", text, log);
    free(log);
}

START_TEST(a_run_log_of_steps_has_the_shapes)
{
    log_make("steps");
    assert_logged("\"shapes\":{\"forward\":\"[[1, 128], [128, 10]]\"}}");
    assert_logged("\"forward\":[100,20],\"loss\":5");
    assert_logged("\"shapes\":{\"forward\":[\"[[64, 128], [128, 10]]\",\"\"]}}");
}
END_TEST

START_TEST(a_run_log_of_regions_has_the_shapes)
{
    log_make("regions");
    assert_logged("\"action\":\"forward\",\"shape\":\"[[1, 128], [128, 10]]\"}");
    assert_logged("\"action\":\"loss\"}");
}
END_TEST

/* Averages are of the action, whatever its shape. */
START_TEST(rolling_averages_are_of_the_action)
{
    struct sw_profiler *sw =
        probe_open("mode: simple, drop_first_batch: false, rolling_average: 2");
    int averages = 0;
    for (int i = 0; i < 4; i++)
        step(sw, 10, sw_action_shaped(SW_FORWARD, i % 2 ? small : large), i % 2 ? 100 : 300);
    close_it(sw);
    for (size_t i = 0; i < probe.metric_count; i++) {
        if (strcmp(probe.metric[i].name, "time_ms/forward") != 0)
            continue;
        ck_assert_double_eq_tol(probe.metric[i].value, 200e-6, 1e-12);
        averages++;
    }
    ck_assert_int_eq(averages, 1);
}
END_TEST

SUITE(shapes)
{
    tcase_add_test(tc, the_same_action_and_shape_are_the_same_handle);
    tcase_add_test(tc, without_a_shape_a_handle_is_that_of_the_action);
    tcase_add_test(tc, dimensions_make_the_text);
    tcase_add_test(tc, beyond_a_thousand_shapes_an_action_has_none);
    tcase_add_test(tc, a_report_has_one_row_of_an_action_and_one_for_each_shape);
    tcase_add_test(tc, an_action_whose_calls_all_have_shapes_has_no_row_without);
    tcase_add_test(tc, a_report_without_shapes_has_no_rows_of_them);
    tcase_add_test(tc, the_mode_holds_for_shapes);
    tcase_add_test(tc, calls_of_a_step_share_its_samples_under_several_shapes);
    tcase_add_test(tc, the_rates_of_an_action_are_those_of_all_its_shapes);
    tcase_add_test(tc, calls_of_a_validation_step_share_its_samples_under_several_shapes);
    tcase_add_test(tc, regions_have_the_action_and_their_shape);
    tcase_add_test(tc, a_run_log_of_steps_has_the_shapes);
    tcase_add_test(tc, a_run_log_of_regions_has_the_shapes);
    tcase_add_test(tc, rolling_averages_are_of_the_action);
}
