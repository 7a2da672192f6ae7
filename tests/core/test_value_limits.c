/* SPDX-License-Identifier: MIT */
/* Values at the edges: of the run, of what a type can hold, of a name, of the memory. */
#include "tests/support/host.h"
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/support/value_recorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- when ------------------------------------------------------------------------------------ */

START_TEST(a_value_in_validation_belongs_to_the_last_training_step)
{
    struct sw_profiler *sw = values_open("");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    probe_step(sw, 1);
    probe_step(sw, 1);
    sw_end(sw, SW_TRAIN);
    sw_begin(sw, SW_VALID);
    sw_begin(sw, SW_BATCH);
    ck_assert_int_eq(sw_log_text(sw, "note", "within"), 0);
    sw_end_batch(sw, 1);
    ck_assert_int_eq(sw_log_text(sw, "note", "between"), 0);
    sw_end(sw, SW_VALID);
    sw_end(sw, SW_FIT);
    assert_values(sw, "step 1 text note: within\nstep 1 text note: between\n");
}
END_TEST

START_TEST(values_arrive_after_another_profiler_was_closed)
{
    struct sw_profiler *other = values_open(""), *sw = values_open("");
    ck_assert_int_eq(sw_log_text(other, "note", "other"), 0);
    ck_assert_int_eq(sw_flush(other, INT64_C(20000000000)), 0);
    ck_assert_int_eq(sw_close(other, NULL), 0);
    ck_assert_int_eq(sw_log_text(sw, "note", "own"), 0);
    assert_values(sw, "step 0 text note: other\nstep 0 text note: own\n");
}
END_TEST

/* ---- what a type can hold -------------------------------------------------------------------- */

/* Loops take several values at a time, and the last ones one by one. */
START_TEST(of_any_number_of_values_each_is_in_one_bin)
{
    enum { MOST = 70 };
    char raw[MOST * sizeof(float) + 1], expected[256];
    float values[MOST];
    for (int n = 1; n <= MOST; n++) {
        for (int i = 0; i < n; i++)
            values[i] = i < n / 3 ? NAN : (float)(i % 2);
        memcpy(raw + 1, values, sizeof values);
        struct sw_profiler *sw = values_open("");
        ck_assert_int_eq(
            sw_log_vector(sw, "w", SW_F32, raw + 1, (size_t)n, SW_HISTOGRAM | SW_NONFINITE), 0);
        ck_assert_int_eq(sw_close(sw, NULL), 0);
        int zeros = 0, ones = 0;
        for (int i = n / 3; i < n; i++)
            *(i % 2 ? &ones : &zeros) += 1;
        snprintf(expected, sizeof expected, " %d", zeros ? zeros : ones);
        ck_assert_msg(strstr(values_text(), expected) != NULL, "%d: %s", n, values_text());
        snprintf(expected, sizeof expected, "w/nonfinite=%d\n", n / 3);
        ck_assert_msg(strstr(values_text(), expected) != NULL, "%d: %s", n, values_text());
    }
}
END_TEST

START_TEST(integers_beyond_what_a_double_holds_are_rounded)
{
    struct sw_profiler *sw = values_open("");
    const int64_t exact = INT64_C(1) << 53, values[] = {-exact, exact + 1, INT64_MAX, INT64_MIN};
    ck_assert_int_eq(sw_log_vector(sw, "a", SW_I64, values, 2, SW_MIN | SW_MAX), 0);
    ck_assert_int_eq(sw_log_vector(sw, "b", SW_I64, values, 4, SW_HISTOGRAM), 0);
    assert_values(sw, "step 0 numbers a/min=-9.0072e+15 a/max=9.0072e+15\n"
                      "step 0 histogram b: [-9.22337e+18 -8.93514e+18) 1 [-2.8823e+17 0) 1 "
                      "[0 2.8823e+17) 1 [8.93514e+18 9.22337e+18) 1\n");
}
END_TEST

START_TEST(subnormal_numbers_have_bins_of_their_own)
{
    struct sw_profiler *sw = values_open("");
    const float values[] = {1e-45f, 3e-45f, 1e-45f};
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_F32, values, 3, SW_HISTOGRAM), 0);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_msg(strstr(values_text(), "histogram w: [1.4013e-45 ") != NULL, "%s", values_text());
    ck_assert_msg(strstr(values_text(), ") 2 [") != NULL, "%s", values_text());
}
END_TEST

START_TEST(one_pixel_is_an_image)
{
    struct sw_profiler *sw = values_open("");
    const uint8_t pixel[] = {1, 2, 3, 4};
    ck_assert_int_eq(sw_log_image(sw, "i", SW_U8, pixel, 1, 1, 4, NULL), 0);
    ck_assert_int_eq(sw_log_image(sw, "i", SW_U8, pixel, 1, 1, 1, NULL), 0);
    assert_values(sw, "step 0 images i: 1x1x4 01020304\nstep 0 images i: 1x1x1 01\n");
}
END_TEST

/* ---- names ----------------------------------------------------------------------------------- */

START_TEST(any_name_reaches_the_sinks)
{
    char umlauts[256] = "", expected[1024];
    for (int i = 0; i < 127; i++)
        strcat(umlauts, "\xc3\xa4");
    strcat(umlauts, "x");
    struct sw_profiler *sw = values_open("");
    ck_assert_int_eq(sw_log_text(sw, umlauts, "a"), 0);
    ck_assert_int_eq(sw_log_text(sw, "*", "b"), 0);
    ck_assert_int_eq(sw_log_text(sw, "a/../b", "c"), 0);
    snprintf(expected, sizeof expected,
             "step 0 text %s: a\nstep 0 text *: b\nstep 0 text a/../b: c\n", umlauts);
    assert_values(sw, expected);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(a_value_that_is_larger_than_the_memory_is_refused_and_a_smaller_one_is_not)
{
    struct sw_error err;
    struct sw_profiler *sw = values_open("values_memory: 64KiB");
    static const uint8_t pixels[300 * 300];
    ck_assert_int_eq(sw_log_image(sw, "large", SW_U8, pixels, 300, 300, 1, NULL), SW_ENOMEM);
    ck_assert_int_eq(sw_log_text(sw, "note", "small"), 0);
    ck_assert_int_eq(sw_log_image(sw, "large", SW_U8, pixels, 300, 300, 1, NULL), SW_ENOMEM);
    ck_assert_int_eq(sw_close(sw, &err), SW_ENOMEM);
    ck_assert_str_eq(sw_error_text(&err),
                     "2 pictures were dropped: values_memory (64KiB) was full");
    ck_assert_str_eq(values_text(), "step 0 text note: small\n");
    sw_error_free(&err);
}
END_TEST

static bool is_taken_again(struct sw_profiler *sw, const uint8_t *pixels)
{
    static const struct timespec pause = {.tv_nsec = 50000000};
    for (int i = 0; i < 1200; i++) {
        if (sw_log_image(sw, "i", SW_U8, pixels, 100, 100, 1, "again") == 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* After five seconds, what waits for the sink that hangs is dropped. */
START_TEST(a_sink_that_hangs_does_not_keep_values_from_the_others)
{
    struct sw_error err;
    static const uint8_t pixels[100 * 100];
    scratch_enter();
    struct sw_profiler *sw =
        values_open_sinks("values_memory: 1MiB", "[values, runlog: {path: run.jsonl}]");
    atomic_store(&values_hang, true);
    while (sw_log_image(sw, "i", SW_U8, pixels, 100, 100, 1, NULL) == 0)
        continue;
    ck_assert(is_taken_again(sw, pixels));
    atomic_store(&values_hang, false);
    sw_close(sw, &err);
    sw_error_free(&err);
    ck_assert_ptr_nonnull(strstr(host_file("run.jsonl"), "\"caption\":\"again\""));
    const char *said = strstr(values_messages(), "sink values: takes no values");
    ck_assert_msg(said != NULL, "%s", values_messages());
    ck_assert_ptr_null(strstr(said + 20, "takes no values"));
}
END_TEST

SUITE(value_limits)
{
    tcase_add_test(tc, a_value_in_validation_belongs_to_the_last_training_step);
    tcase_add_test(tc, values_arrive_after_another_profiler_was_closed);
    tcase_add_test(tc, of_any_number_of_values_each_is_in_one_bin);
    tcase_add_test(tc, integers_beyond_what_a_double_holds_are_rounded);
    tcase_add_test(tc, subnormal_numbers_have_bins_of_their_own);
    tcase_add_test(tc, one_pixel_is_an_image);
    tcase_add_test(tc, any_name_reaches_the_sinks);
    tcase_add_test(tc, a_value_that_is_larger_than_the_memory_is_refused_and_a_smaller_one_is_not);
    tcase_add_test(tc, a_sink_that_hangs_does_not_keep_values_from_the_others);
}
