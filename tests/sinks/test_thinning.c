/* SPDX-License-Identifier: MIT */
/* Fewer points than the run has steps: what a point has, and how many steps are one. */
#include "tests/support/host.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <stepwatch/values.h>

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

/* A point is of the newest step of which anything was stored, so that steps do not go back. */
START_TEST(notes_lines_and_texts_end_no_point)
{
    struct host *host = host_open("runlog", METRICS "every: 10\n");
    struct sw_profiler *sw = host_profiler(host);
    for (int i = 0; i < 100; i++) {
        sw_begin(sw, SW_BATCH);
        if (i % 5 == 0)
            sw_log(sw, "loss", i);
        sw_note(sw, "a note");
        sw_log_line(sw, SW_NOTE, "a line");
        sw_log_text(sw, "text", "a text");
        sw_summary(sw, "best", i);
        sw_end_batch(sw, 1);
    }
    host_close(host);
    ck_assert_int_eq(points("loss"), 10);
    for (int i = 0; i < 10; i++) {
        ck_assert_double_eq(field(point("loss", i), "count", 1), 2);
        ck_assert_double_ge(field(point("loss", i), "step", 0), 10 * i + 5);
        ck_assert_double_le(field(point("loss", i), "step", 0), 10 * i + 9);
    }
}
END_TEST

/* ---- how many steps -------------------------------------------------------------------------- */

/* 40 points of 1, 10 and 100 steps each, and then 1,000 steps are a point. */
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
    ck_assert_int_ge(count, 40 + 40 + 40 + 5);
    ck_assert_int_le(count, 40 + 40 + 40 + 8);
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

/* A thousandth of what is stored before points get more steps. */
START_TEST(the_newest_steps_of_a_fit_are_stored_one_by_one)
{
    struct host *host = host_open("runlog", METRICS "thin_after: 20000\n");
    struct sw_profiler *sw = host_profiler(host);
    double all = 0;
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(sw, SW_FIT);
        for (int i = 0; i < 40000; i++) {
            sw_log_at(sw, fit ? "second" : "first", i, i);
            if (i % 1000 == 999)
                sw_flush(sw, INT64_C(10000000000));
        }
        sw_end(sw, SW_FIT);
    }
    host_close(host);
    const char *names[] = {"first", "second"};
    for (int fit = 0; fit < 2; fit++) {
        char what[100];
        snprintf(what, sizeof what, "\"step\":39979,\"name\":\"%s\"", names[fit]);
        const char *at = strstr(host_file("run.jsonl"), what);
        ck_assert_ptr_nonnull(at);
        ck_assert_ptr_nonnull(strstr(at, "\"count\":"));
        for (int i = 39980; i < 40000; i++) {
            snprintf(what, sizeof what, "\"step\":%d,\"name\":\"%s\",\"value\":%d.0,\"own_step\"",
                     i, names[fit], i);
            at = strstr(at, what);
            ck_assert_msg(at != NULL, "%s", what);
        }
    }
    size_t length;
    for (const char *at = host_file("run.jsonl"); *at; at += length + 1) {
        length = strcspn(at, "\n");
        const char *count = memmem(at, length, "\"count\":", 8);
        if (memmem(at, length, "\"type\":\"metric\"", 15))
            all += count ? atof(count + 8) : 1;
    }
    ck_assert_double_eq(all, 80000);
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

/* ---- a limit in bytes ------------------------------------------------------------------------ */

/* Values without steps, and with a report and an end after them. */
static struct host *full_run(const char *sink, const char *options, int values)
{
    struct host *host = host_open(sink, options);
    sw_begin(host_profiler(host), SW_FIT);
    for (int i = 0; i < values; i++) {
        sw_log_at(host_profiler(host), "loss", i, i);
        if (i % 500 == 499)
            sw_flush(host_profiler(host), INT64_C(10000000000));
    }
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    return host;
}

START_TEST(the_fuller_it_is_the_more_steps_are_a_point)
{
    double all = 0;
    struct host *host = full_run("runlog", METRICS "max_size: 40kB\n", 20000);
    ck_assert_uint_gt(strlen(host_file("run.jsonl")), 30000);
    ck_assert_uint_lt(strlen(host_file("run.jsonl")), 44000); /* 40 kB and the report */
    for (int i = 0, count = points("loss"); i < count; i++)
        all += field(point("loss", i), "count", 1);
    ck_assert_double_eq(all, 20000);
    ck_assert_ptr_nonnull(strstr(host_messages(host),
                                 "sink runlog: run.jsonl: half of max_size is filled: from step "));
    ck_assert_ptr_null(strstr(host_messages(host), "is reached"));
}
END_TEST

START_TEST(a_full_sink_that_stops_stores_results_only)
{
    struct host *host = full_run("runlog", METRICS "max_size: 40kB\nwhen_full: stop\n", 2000);
    int count = points("loss");
    const char *text = host_file("run.jsonl");
    char said[200];
    ck_assert_int_gt(count, 300);
    ck_assert_int_lt(count, 600);
    ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"report\""));
    ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"finish\""));
    snprintf(said, sizeof said,
             "warning: sink runlog: run.jsonl: max_size is reached at step %d: steps and values "
             "are not stored from here on; reports are\n",
             count);
    ck_assert_ptr_nonnull(strstr(host_messages(host), said));
    snprintf(said, sizeof said, ": %d records of steps and values came after max_size was reached",
             2000 - count);
    ck_assert_ptr_nonnull(strstr(host_messages(host), said));
}
END_TEST

START_TEST(a_log_that_rotates_keeps_its_newest_steps_in_four_files)
{
    char path[40];
    int newest = 0, files = 0, values = 0;
    full_run("runlog", METRICS "max_size: 40kB\nwhen_full: rotate\n", 2000);
    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "run.%03d.jsonl", i);
        newest = host_has(path) ? i : newest;
        files += host_has(path);
    }
    ck_assert_int_eq(files, 4);
    ck_assert_int_gt(newest, 10);
    for (int i = newest - 3; i <= newest; i++) {
        snprintf(path, sizeof path, "run.%03d.jsonl", i);
        ck_assert_uint_lt(strlen(host_file(path)), 10000 + 4000);
        ck_assert_ptr_nonnull(strstr(host_file(path), "\"again\":true"));
        for (const char *at = host_file(path); (at = strstr(at, "\"name\":\"loss\"")); at++)
            values++;
    }
    ck_assert_ptr_nonnull(strstr(host_file(path), "{\"type\":\"finish\""));
    ck_assert_int_gt(values, 200);
    ck_assert_int_lt(values, 600);
}
END_TEST

/* The newest file names an image that an older one has named, too. */
START_TEST(each_file_of_a_log_that_rotates_has_its_own_images)
{
    char path[120], line[80];
    const uint8_t pixels[6][3] = {{1}, {2}, {3}, {4}, {5}, {6}};
    struct host *host = host_open(
        "runlog", "path: run.jsonl\ndetail: metrics\nmax_size: 40kB\nwhen_full: rotate\n");
    struct sw_profiler *sw = host_profiler(host);
    for (int i = 0; i < 150; i++) {
        sw_log_image(sw, "digit", SW_U8, pixels[i % 6], 1, 1, 3, NULL);
        sw_flush(sw, INT64_C(10000000000));
    }
    host_close(host);
    snprintf(path, sizeof path, "run.%03d.jsonl", 1);
    ck_assert(host_has(path));
    const char *named = strstr(host_file(path), "\"file\":\"media/");
    ck_assert_ptr_nonnull(named);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(named + 8, "\""), named + 8);
    snprintf(path, sizeof path, "run.001.jsonl.files/%s", line);
    ck_assert(host_has(path));
}
END_TEST

/* All figures of the limit are wrong together with something. */
START_TEST(what_contradicts_the_limit_is_refused)
{
    static const struct {
        const char *options, *mistake;
    } cases[] = {
        {"when_full: rotate", "when_full: rotate needs a limit: set max_size"},
        {"when_full: rotate, max_size: 1MB, path: \"-\"",
         "when_full: rotate needs files: set path"},
        {"max_size: 1MB, detail: summary", "max_size: a summary is small: leave it out"},
        {"every: 0", "every: 0 is not within 1..1000000"},
    };
    SW_ERROR_SCOPE(err);
    char yaml[300];
    snprintf(yaml, sizeof yaml, "logger_callback: { runlog: { %s } }", cases[_i].options);
    ck_assert_ptr_null(sw_open_text(yaml, &err));
    ck_assert_msg(strstr(sw_error_text(&err), cases[_i].mistake) != NULL, "%s",
                  sw_error_text(&err));
}
END_TEST

SUITE(thinning)
{
    tcase_add_test(tc, the_fuller_it_is_the_more_steps_are_a_point);
    tcase_add_test(tc, a_full_sink_that_stops_stores_results_only);
    tcase_add_test(tc, a_log_that_rotates_keeps_its_newest_steps_in_four_files);
    tcase_add_test(tc, each_file_of_a_log_that_rotates_has_its_own_images);
    tcase_add_loop_test(tc, what_contradicts_the_limit_is_refused, 0, 4);
    tcase_add_test(tc, a_point_has_the_mean_the_limits_and_the_number_of_its_values);
    tcase_add_test(tc, a_value_that_is_alone_in_a_point_is_as_it_was);
    tcase_add_test(tc, values_that_are_no_numbers_are_counted_and_not_in_the_mean);
    tcase_add_test(tc, a_point_is_of_one_epoch_and_phase);
    tcase_add_test(tc, a_point_is_of_one_minute_at_most);
    tcase_add_test(tc, steps_that_the_program_gives_have_points_of_their_own);
    tcase_add_test(tc, notes_lines_and_texts_end_no_point);
    tcase_add_test(tc, the_longer_the_run_the_more_steps_are_a_point);
    tcase_add_test(tc, the_newest_steps_of_a_fit_are_stored_one_by_one);
    tcase_add_test(tc, no_run_is_thinned_out_that_shall_not_be);
    tcase_add_test(tc, many_values_do_not_thin_out_a_short_run);
}
