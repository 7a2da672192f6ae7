/* SPDX-License-Identifier: MIT */
/* sw_log_report(): a report that another profiler has made, in the sinks of this one. */
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stepwatch/replay.h>
#include <stepwatch/sink.h>

#include <math.h>
#include <string.h>

/* The CSV of a profiler with these options that has measured nothing itself. */
static const char *logged_with(const struct sw_report *report, const char *options)
{
    struct sw_error err;
    struct host *host = host_open_with("csv", "path: logged.csv", options);
    int rc = sw_log_report(host_profiler(host), report, &err);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    host_close(host);
    return host_file("logged.csv");
}

static const char *logged(const struct sw_report *report)
{
    return logged_with(report, "mode: simple");
}

/* Two regions of 20 and 40 ns with a shape, in a fit of 100 ns. */
static struct sw_report *measured(char csv[4096])
{
    struct sw_report *report = NULL;
    struct host *host = host_open_with("csv", "path: run.csv", "mode: simple");
    struct sw_profiler *sw = host_profiler(host);
    int forward = sw_action_shaped(SW_FORWARD, "[[2, 3]]");
    sw_begin(sw, SW_FIT);
    for (int i = 1; i <= 2; i++) {
        sw_begin(sw, forward);
        sw_count(sw, sw_counter("tokens"), 7);
        host_wait(host, 20 * i);
        sw_end(sw, forward);
        host_wait(host, 20);
    }
    sw_end(sw, SW_FIT);
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    host_close(host);
    snprintf(csv, 4096, "%s", host_file("run.csv"));
    return report;
}

START_TEST(another_profiler_shows_what_the_first_has_measured)
{
    char csv[4096];
    struct sw_report *report = measured(csv);
    ck_assert_str_eq(logged(report), csv);
    ck_assert_ptr_nonnull(strstr(csv, "counter/tokens"));
    sw_report_free(report);
}
END_TEST

START_TEST(a_profiler_that_measures_counters_keeps_to_them)
{
    char csv[4096];
    struct sw_report *report = measured(csv);
    const char *logged = logged_with(report, "mode: simple\ncounters: [switches]");
    ck_assert_ptr_null(strstr(logged, "tokens"));
    ck_assert_ptr_nonnull(strstr(logged, "counter/switches"));
    sw_report_free(report);
}
END_TEST

/* It counts on, too, when the report has given it a counter. */
START_TEST(a_profiler_that_measures_goes_on_after_a_report)
{
    char csv[4096];
    struct sw_report *report = measured(csv);
    struct host *host = host_open_with("csv", "path: logged.csv", "mode: simple");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    ck_assert_int_eq(sw_log_report(sw, report, NULL), 0);
    ck_assert_int_eq(sw_log_report(sw, report, NULL), 0);
    sw_report_free(report);
    sw_begin(sw, SW_FORWARD);
    sw_count(sw, sw_counter("others"), 3);
    sw_end(sw, SW_FORWARD);
    sw_end(sw, SW_FIT);
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    ck_assert_uint_eq(report->counter_count, 2);
    const struct sw_report_row *row = sw_report_row(report, 0); /* fit */
    ck_assert_str_eq(sw_row_counter(report, row, 0)->name, "tokens");
    ck_assert_int_eq(sw_row_counter(report, row, 0)->total, 0);
    ck_assert_str_eq(sw_row_counter(report, row, 1)->name, "others");
    ck_assert_int_eq(sw_row_counter(report, row, 1)->total, 3);
    sw_report_free(report);
    host_close(host);
}
END_TEST

/* The smallest report: one row, made by the program. */
static struct sw_report made(struct sw_report_row *row)
{
    *row = (struct sw_report_row){.phase_id = SW_PHASE_TRAIN,
                                  .phase = "train",
                                  .action = "mine",
                                  .calls = 2,
                                  .mean_ns = 5e8,
                                  .total_ns = 1e9,
                                  .share = 0.5,
                                  .samples_per_s = NAN,
                                  .first_use = INT64_MAX};
    return (struct sw_report){.size = sizeof(struct sw_report),
                              .fit = 1,
                              .complete = true,
                              .fit_ns = 2e9,
                              .count = 1,
                              .row_size = sizeof *row,
                              .row = row,
                              .preempted = -1};
}

START_TEST(a_program_can_make_the_report_itself)
{
    struct sw_report_row row;
    struct sw_report report = made(&row);
    const char *csv = logged(&report);
    ck_assert_msg(strstr(csv, "train,mine,0.5,0.0,2,-,1.0,50%") != NULL, "%s", csv);
}
END_TEST

/* Its own report is of what it has measured. */
START_TEST(it_does_not_become_the_report_of_the_profiler)
{
    struct sw_report_row row;
    struct sw_report report = made(&row), *own = NULL;
    struct host *host = host_open_with("csv", "path: logged.csv", "mode: simple");
    struct sw_profiler *sw = host_profiler(host);
    ck_assert_int_eq(sw_log_report(sw, &report, NULL), 0);
    ck_assert_int_ge(sw_report_new(sw, &own, NULL), 0);
    for (size_t i = 0; i < own->count; i++)
        ck_assert_str_ne(sw_report_row(own, i)->action, "mine");
    sw_report_free(own);
    host_close(host);
}
END_TEST

START_TEST(a_row_of_an_unknown_phase_is_refused)
{
    struct sw_error err;
    struct sw_report_row row;
    struct sw_report report = made(&row);
    struct host *host = host_open("csv", "path: logged.csv");
    row.phase_id = (enum sw_phase)77;
    ck_assert_int_eq(sw_log_report(host_profiler(host), &report, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "row 0 of the report has the phase 77, which is not an enum sw_phase");
    ck_assert_int_eq(sw_log_report(NULL, &report, &err), SW_EINVAL);
    host_close(host);
}
END_TEST

START_TEST(quantiles_of_a_distribution_without_values_are_not_known)
{
    const struct sw_distribution d = {.count = 3, .mean = 2, .min = 1, .max = 3};
    ck_assert(isnan(sw_quantile(&d, 0.5)));
}
END_TEST

SUITE(logged_report)
{
    tcase_add_test(tc, another_profiler_shows_what_the_first_has_measured);
    tcase_add_test(tc, a_profiler_that_measures_counters_keeps_to_them);
    tcase_add_test(tc, a_profiler_that_measures_goes_on_after_a_report);
    tcase_add_test(tc, a_program_can_make_the_report_itself);
    tcase_add_test(tc, it_does_not_become_the_report_of_the_profiler);
    tcase_add_test(tc, a_row_of_an_unknown_phase_is_refused);
    tcase_add_test(tc, quantiles_of_a_distribution_without_values_are_not_known);
}
