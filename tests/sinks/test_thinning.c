/* SPDX-License-Identifier: MIT */
/* Fewer points than the run has steps: what a point has, and how many steps are one. */
#include "tests/support/host.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METRICS "path: run.jsonl\ndetail: metrics\n"

/* The n-th line of a metric, from 0, or "". */
static const char *point(const char *name, int n)
{
    static char line[512];
    char what[80];
    snprintf(what, sizeof what, "\"name\":\"%s\"", name);
    for (const char *at = host_file("run.jsonl"); *at; at += strcspn(at, "\n") + 1) {
        int length = (int)strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strstr(line, "\"type\":\"metric\"") && strstr(line, what) && n-- == 0)
            return line;
    }
    return "";
}

static int points(const char *name)
{
    int count = 0;
    while (*point(name, count))
        count++;
    return count;
}

/* A number of a line, or `otherwise`. */
static double field(const char *line, const char *key, double otherwise)
{
    char what[80];
    snprintf(what, sizeof what, ",\"%s\":", key);
    const char *at = strstr(line, what);
    return at ? atof(at + strlen(what)) : otherwise;
}

/* ---- a point --------------------------------------------------------------------------------- */

START_TEST(a_point_has_the_mean_the_limits_and_the_number_of_its_values)
{
    struct host *host = host_open("runlog", METRICS "every: 4\n");
    for (int i = 0; i < 10; i++)
        host_metric(host, i, "loss", i * i);
    host_close(host);
    ck_assert_str_eq(point("loss", 0),
                     "{\"type\":\"metric\",\"t\":0,\"step\":3,\"name\":\"loss\",\"value\":3.5,"
                     "\"count\":4,\"min\":0.0,\"max\":9.0}");
    ck_assert_str_eq(point("loss", 1),
                     "{\"type\":\"metric\",\"t\":0,\"step\":7,\"name\":\"loss\",\"value\":31.5,"
                     "\"count\":4,\"min\":16.0,\"max\":49.0}");
    ck_assert_str_eq(point("loss", 2),
                     "{\"type\":\"metric\",\"t\":0,\"step\":9,\"name\":\"loss\",\"value\":72.5,"
                     "\"count\":2,\"min\":64.0,\"max\":81.0}");
    ck_assert_str_eq(point("loss", 3), "");
}
END_TEST

START_TEST(a_value_that_is_alone_in_a_point_is_as_it_was)
{
    struct host *host = host_open("runlog", METRICS "every: 4\n");
    host_metric(host, 1, "often", 1);
    host_metric(host, 2, "rare", -0.0);
    host_metric(host, 3, "often", 2);
    host_close(host);
    ck_assert_str_eq(point("rare", 0), "{\"type\":\"metric\",\"t\":0,\"step\":3,\"name\":\"rare\","
                                       "\"value\":-0.0}");
}
END_TEST

START_TEST(values_that_are_no_numbers_are_counted_and_not_in_the_mean)
{
    struct host *host = host_open("runlog", METRICS "every: 4\n");
    host_metric(host, 0, "some", NAN); /* an alert, before which points end, is only the first */
    host_metric(host, 1, "none", NAN);
    host_metric(host, 4, "some", NAN);
    host_metric(host, 5, "some", INFINITY);
    host_metric(host, 6, "some", 2);
    host_metric(host, 7, "some", 4);
    host_metric(host, 8, "none", NAN);
    host_metric(host, 9, "none", -INFINITY);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(point("some", 1), "\"value\":3.0,\"count\":2,\"min\":2.0,"
                                                   "\"max\":4.0,\"nonfinite\":2}"));
    ck_assert_ptr_nonnull(
        strstr(point("none", 1), "\"value\":\"-Infinity\",\"count\":0,\"nonfinite\":2}"));
}
END_TEST

/* A reader knows of which epoch and phase a value is. */
START_TEST(a_point_is_of_one_epoch_and_phase)
{
    struct host *host = host_open("runlog", "path: run.jsonl\nevery: 1000\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 2; epoch++) {
        sw_begin(sw, SW_EPOCH);
        for (int phase = SW_TRAIN; phase <= SW_VALID; phase++) {
            sw_begin(sw, phase);
            for (int i = 0; i < 5; i++) {
                sw_begin(sw, SW_BATCH);
                sw_log(sw, "loss", phase);
                sw_end_batch(sw, 1);
            }
            sw_end(sw, phase);
        }
        sw_end(sw, SW_EPOCH);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_int_eq(points("loss"), 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq(field(point("loss", i), "value", 0), i % 2 ? SW_VALID : SW_TRAIN);
        ck_assert_double_eq(field(point("loss", i), "count", 1), 5);
    }
}
END_TEST

START_TEST(a_point_is_of_one_minute_at_most)
{
    struct host *host = host_open("runlog", METRICS "every: 1000\n");
    for (int i = 0; i < 12; i++) {
        host_metric(host, i, "loss", i);
        host_wait(host, INT64_C(15000000000));
    }
    host_close(host);
    ck_assert_int_eq(points("loss"), 3);
    ck_assert_double_eq(field(point("loss", 0), "count", 1), 4);
}
END_TEST

START_TEST(steps_that_the_program_gives_have_points_of_their_own)
{
    struct host *host = host_open("runlog", METRICS "every: 10\n");
    host_metric(host, 0, "loss", 0);
    for (int i = 0; i < 20; i++) {
        sw_log_at(host_profiler(host), "own", i, 1000 + i / 2);
        host_metric(host, i, "loss", i);
    }
    host_close(host);
    ck_assert_int_eq(points("loss"), 2);
    ck_assert_int_eq(points("own"), 1);
    ck_assert_double_eq(field(point("own", 0), "step", 0), 1009);
    ck_assert_double_eq(field(point("own", 0), "count", 1), 20);
    ck_assert_ptr_nonnull(strstr(point("own", 0), "\"own_step\":true"));
}
END_TEST

/* ---- how many steps -------------------------------------------------------------------------- */

/* 40 lines are ten times as many as what is stored of ten times as many. */
START_TEST(the_longer_the_run_the_more_steps_are_a_point)
{
    struct host *host = host_open("runlog", METRICS "thin_after: 40\n");
    double all = 0;
    for (int i = 0; i < 10000; i++) {
        sw_log(host_profiler(host), "loss", i);
        if (i % 1000 == 999)
            sw_flush(host_profiler(host), INT64_C(10000000000));
    }
    host_close(host);
    int count = points("loss");
    ck_assert_int_ge(count, 40 + 36 + 36);
    ck_assert_int_le(count, 40 + 37 + 37 + 7);
    for (int i = 0; i < count; i++)
        all += field(point("loss", i), "count", 1);
    ck_assert_double_eq(all, 10000);
    ck_assert_str_eq(strstr(point("loss", 39), "\"name\""),
                     "\"name\":\"loss\",\"value\":39.0,\"own_step\":true}");
    ck_assert_double_eq(field(point("loss", 50), "count", 1), 10);
    ck_assert_double_eq(field(point("loss", 100), "count", 1), 100);
    ck_assert_str_eq(
        host_messages(host),
        "note: sink runlog: run.jsonl: a long run: from step 40 on, 10 steps become one "
        "point with their mean, smallest and largest values, and later more "
        "(thin_after: 0 keeps each step)\n");
}
END_TEST

START_TEST(no_run_is_thinned_out_that_shall_not_be)
{
    struct host *host = host_open("runlog", METRICS "thin_after: 0\n");
    for (int i = 0; i < 1000; i++)
        host_metric(host, i, "loss", i);
    host_close(host);
    ck_assert_int_eq(points("loss"), 1000);
}
END_TEST

/* The values of 400 metrics in 100,000 steps would be more lines than are stored as they are. */
START_TEST(many_values_do_not_thin_out_a_short_run)
{
    struct host *host = host_open("runlog", METRICS "thin_after: 400\n"); /* or 10 steps */
    for (int i = 0; i < 9; i++) {
        host_metrics(host, 100, i);
        host_metric(host, i, "loss", i);
    }
    host_close(host);
    ck_assert_int_eq(points("m7"), 9);
}
END_TEST

SUITE(thinning)
{
    tcase_add_test(tc, a_point_has_the_mean_the_limits_and_the_number_of_its_values);
    tcase_add_test(tc, a_value_that_is_alone_in_a_point_is_as_it_was);
    tcase_add_test(tc, values_that_are_no_numbers_are_counted_and_not_in_the_mean);
    tcase_add_test(tc, a_point_is_of_one_epoch_and_phase);
    tcase_add_test(tc, a_point_is_of_one_minute_at_most);
    tcase_add_test(tc, steps_that_the_program_gives_have_points_of_their_own);
    tcase_add_test(tc, the_longer_the_run_the_more_steps_are_a_point);
    tcase_add_test(tc, no_run_is_thinned_out_that_shall_not_be);
    tcase_add_test(tc, many_values_do_not_thin_out_a_short_run);
}
