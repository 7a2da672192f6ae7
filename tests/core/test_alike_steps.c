/* SPDX-License-Identifier: MIT */
/* A step that stands for several that are alike: the report has what it would have of each of them.
 */
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <stepwatch/replay.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of each step. The last of `count` steps take a nanosecond more, so that sums do not divide. */
enum { DRAW = 1000, FORWARD = 20000, AROUND = 3000, SAMPLES = 32 };

static void region(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    probe_wait(ns);
    sw_end(sw, action);
}

/* Makes steps as one, whose sums are those of `count` steps with `longer` longer ones. */
static void steps_as_one(struct sw_profiler *sw, int64_t number, int64_t count, int64_t longer)
{
    ck_assert_int_eq(sw_set_steps(sw, count), 0);
    sw_set_step(sw, number + count - 1);
    region(sw, SW_DRAW, count * DRAW);
    sw_begin(sw, SW_BATCH);
    region(sw, SW_FORWARD, count * FORWARD + longer);
    region(sw, sw_action("own"), count * AROUND);
    sw_end_batch(sw, count * SAMPLES);
}

static void steps_one_by_one(struct sw_profiler *sw, int64_t number, int64_t count, int64_t longer)
{
    for (int64_t i = 0; i < count; i++)
        steps_as_one(sw, number + i, 1, i >= count - longer);
}

/* Ends the run. Returns its rows as text. */
static const char *rows_of(struct sw_profiler *sw)
{
    static char text[2][40000];
    static int which;
    char *to = text[which ^= 1];
    struct sw_report *report;
    size_t used = 0;
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_report_new(sw, &report, NULL) > 0, 1);
    used += (size_t)snprintf(to, 200, "steps %" PRId64 " step %" PRId64 " samples %" PRId64 "\n",
                             report->accounting.steps, report->step, report->overall_train.samples);
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        const struct sw_distribution *d = &row->durations;
        used += (size_t)snprintf(to + used, sizeof *text - used,
                                 "%s %s: calls %" PRId64
                                 " total %.0f self %.0f mean %.6f std %.4f min %.0f max %.0f "
                                 "p50 %.6g p99 %.6g kept %zu rate %.3f rates %" PRId64 "\n",
                                 row->phase, row->action, row->calls, row->total_ns, row->self_ns,
                                 row->mean_ns, row->std_ns, d->min, d->max, row->p50_ns,
                                 row->p99_ns, d->kept, row->samples_per_s, row->rates.count);
    }
    sw_report_free(report);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    return to;
}

static struct sw_profiler *run_begin(void)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    sw_begin(sw, SW_FIT);
    steps_one_by_one(sw, 0, 3, 0);
    return sw;
}

static const int64_t counts[] = {2, 7, 10, 31, 32, 33, 1000};

START_TEST(the_report_is_that_of_each_of_the_steps)
{
    int64_t count = counts[_i];
    struct sw_profiler *sw = run_begin();
    steps_as_one(sw, 3, count, 0);
    steps_one_by_one(sw, 3 + count, 2, 0);
    const char *rows = rows_of(sw);
    sw = run_begin();
    steps_one_by_one(sw, 3, count, 0);
    steps_one_by_one(sw, 3 + count, 2, 0);
    ck_assert_str_eq(rows, rows_of(sw));
}
END_TEST

/* Some take a nanosecond more than the others, and the sums are exact. A batch and a step are sums
 * themselves, which are divided in the same way. */
START_TEST(a_sum_that_does_not_divide_is_that_of_steps_that_differ_by_a_nanosecond)
{
    int64_t count = counts[_i], longer = count / 2;
    struct sw_profiler *sw = run_begin();
    steps_as_one(sw, 3, count, longer);
    const char *rows = rows_of(sw);
    sw = run_begin();
    steps_one_by_one(sw, 3, count, longer);
    const char *each = rows_of(sw);
    const char *at = strstr(rows, "train forward:"), *same = strstr(each, "train forward:");
    size_t size = (size_t)(strstr(at, " rate ") - at);
    ck_assert_msg(strncmp(at, same, size) == 0, "%.200s\n%.200s", at, same);
}
END_TEST

START_TEST(a_few_calls_make_a_month_of_steps)
{
    char expected[200];
    struct sw_profiler *sw = run_begin();
    for (int64_t i = 0; i < 2600; i++)
        steps_as_one(sw, 3 + i * 1000000, 1000000, 0);
    const char *rows = rows_of(sw);
    snprintf(
        expected, sizeof expected,
        "train draw: calls 2600000002 total %.0f self %.0f mean 1000.000000 std 0.0000 min 1000 "
        "max 1000 p50 1000 p99 1000 ",
        2600000002.0 * DRAW, 2600000002.0 * DRAW);
    ck_assert_msg(strstr(rows, expected) != NULL, "%s", rows);
}
END_TEST

/* Rolling averages: the last window that such steps fill is logged, and the next one continues. */
START_TEST(the_rolling_averages_go_on_where_windows_end)
{
    struct sw_profiler *sw = probe_open("mode: simple, rolling_average: 4");
    sw_begin(sw, SW_FIT);
    steps_one_by_one(sw, 0, 3, 0);
    steps_as_one(sw, 3, 20, 0);
    steps_one_by_one(sw, 23, 10, 0);
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    for (size_t i = 0; i < probe.metric_count; i++)
        if (strcmp(probe.metric[i].name, "time_ms/step") == 0)
            ck_assert_double_eq_tol(probe.metric[i].value, 0.024, 1e-9);
    ck_assert_uint_gt(probe.metric_count, 3);
}
END_TEST

START_TEST(a_number_below_one_is_refused)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    ck_assert_int_eq(sw_set_steps(sw, 0), SW_EINVAL);
    ck_assert_int_eq(sw_set_steps(sw, -5), SW_EINVAL);
    ck_assert_int_eq(sw_set_steps(NULL, 5), SW_EINVAL);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

SUITE(alike_steps)
{
    int all = (int)(sizeof counts / sizeof *counts);
    tcase_add_loop_test(tc, the_report_is_that_of_each_of_the_steps, 0, all);
    tcase_add_loop_test(tc, a_sum_that_does_not_divide_is_that_of_steps_that_differ_by_a_nanosecond,
                        0, all);
    tcase_add_test(tc, a_few_calls_make_a_month_of_steps);
    tcase_add_test(tc, the_rolling_averages_go_on_where_windows_end);
    tcase_add_test(tc, a_number_below_one_is_refused);
}
