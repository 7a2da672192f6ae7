/* SPDX-License-Identifier: MIT */
/* What the figures of a report count, where it is not plain to see. */
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    struct sw_error err;
    ck_assert_msg(sw_report_new(sw, &report, &err) > 0, "%s", err.text);
    return report;
}

static const struct sw_report_row *row_of(const struct sw_report *report, const char *phase,
                                          const char *action)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    ck_assert_msg(row != NULL, "no row %s/%s", phase, action);
    return row;
}

/* ---- actions that call themselves --------------------------------------------------------------
 */

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
    ck_assert_double_eq(row->max_ns, 40);
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

SUITE(figures)
{
    tcase_add_loop_test(tc, of_calls_inside_of_each_other_the_outermost_makes_the_total, 0, 2);
    tcase_add_test(tc,
                   recursion_in_a_batch_is_counted_the_same_and_has_the_rate_of_its_outermost_call);
    tcase_add_test(tc, two_actions_that_call_each_other_have_each_its_outermost_calls);
    tcase_add_test(tc, after_recursion_an_action_is_measured_as_before);
}
