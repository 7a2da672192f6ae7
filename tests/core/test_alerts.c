/* SPDX-License-Identifier: MIT */
/* Alerts: what the program, or stepwatch itself, tells somebody to look at. */
#include "tests/support/probe.h"
#include "tests/support/recorder.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_BATCH);
    probe_wait(5);
    sw_end_batch(sw, 1);
}

START_TEST(an_alert_comes_with_its_step_level_and_texts)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    step(sw);
    step(sw);
    ck_assert_int_eq(sw_alert(sw, SW_WARNING, "diverged", "loss 9.5"), 0);
    ck_assert_str_eq(probe_message, "alert: diverged: loss 9.5");
    sw_begin(sw, SW_BATCH);
    ck_assert_int_eq(sw_alert(sw, SW_NOTE, "no details", NULL), 0);
    ck_assert_str_eq(probe_message, "alert: no details");
    sw_end_batch(sw, 1);
    sw_pause(sw);
    ck_assert_int_eq(sw_alert(sw, SW_ERROR, "in a pause", ""), 0);
    sw_resume(sw);
    assert_recorded(sw, "alert 10 step 1 user 1 diverged: loss 9.5\n"
                        "alert 10 step 2 user 0 no details: \n"
                        "alert 10 step 2 user 2 in a pause: \n");
}
END_TEST

START_TEST(the_same_title_within_a_minute_is_counted_and_not_sent)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    for (int second = 0; second < 120; second += 30) {
        ck_assert_int_eq(sw_alert(sw, SW_NOTE, "again", "x"), 0);
        ck_assert_int_eq(sw_alert(sw, SW_NOTE, second ? "again" : "another", "x"), 0);
        probe_wait(30 * SECOND);
    }
    ck_assert_int_eq(probe_messages, 3);
    assert_recorded(sw, "alert 0 step 0 user 0 again: x\n"
                        "alert 0 step 0 user 0 another: x\n"
                        "alert 60000000000 step 0 user 0 again: x\n");
    ck_assert_str_eq(probe_message, "5 alerts had the title of another one within 60 s, and were "
                                    "not sent");
}
END_TEST

START_TEST(a_loop_that_makes_up_titles_does_not_forget_the_newest)
{
    char title[24];
    struct sw_profiler *sw = recorder_open("capture: {}");
    for (int i = 0; i < 1000; i++) {
        snprintf(title, sizeof title, "title %d", i);
        sw_alert(sw, SW_NOTE, title, "");
        probe_wait(1);
    }
    probe_messages = 0;
    sw_alert(sw, SW_NOTE, title, "");
    ck_assert_int_eq(probe_messages, 0);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(long_texts_are_cut_at_a_character_and_bytes_that_are_none_are_shown)
{
    char title[400] = "", text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memcpy(text + 4095, "\xc3\xa9", 2); /* the 4,096th byte is the first of an é */
    for (int i = 0; i < 100; i++)
        strcat(title, "\xc3\xa9");
    struct sw_profiler *sw = recorder_open("capture: {}");
    ck_assert_int_eq(sw_alert(sw, SW_NOTE, title, text), 0);
    ck_assert_int_eq(strstr(probe_message, ": x") - strstr(probe_message, "\xc3"), 2 * 64);
    strcpy(title + 64 * 2, "another end, which is cut");
    ck_assert_int_eq(sw_alert(sw, SW_NOTE, title, "the same title"), 0);
    ck_assert_int_eq(sw_alert(sw, SW_NOTE, "a\xff", "b\xfe"), 0);
    sw_flush(sw, SECOND);
    const char *got = recorder_text(), *colon = strstr(got, ": ");
    ck_assert_int_eq(colon - strstr(got, "\xc3"), 2 * 64);
    ck_assert_int_eq(strchr(colon, '\n') - colon - 2, 4095);
    ck_assert_str_eq(strchr(colon, '\n'), "\nalert 0 step 0 user 0 a\\xff: b\\xfe\n");
    sw_close(sw, NULL);
}
END_TEST

START_TEST(an_alert_without_a_title_or_with_an_unknown_level_is_refused)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    ck_assert_int_eq(sw_alert(sw, SW_NOTE, NULL, "x"), SW_EINVAL);
    ck_assert_int_eq(sw_alert(sw, SW_NOTE, "", "x"), SW_EINVAL);
    ck_assert_int_eq(sw_alert(sw, (enum sw_level)3, "x", "x"), SW_EINVAL);
    ck_assert_int_eq(sw_alert(sw, (enum sw_level) - 1, "x", "x"), SW_EINVAL);
    ck_assert_int_eq(sw_alert(NULL, SW_NOTE, NULL, NULL), 0);
    ck_assert_int_eq(probe_messages, 0);
    assert_recorded(sw, "");
}
END_TEST

START_TEST(a_metric_that_becomes_nan_is_told_once_with_its_step)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    for (int i = 0; i < 5; i++) {
        sw_log(sw, "train/loss", i < 2 ? 1 : NAN);
        sw_log(sw, "valid/loss", i < 3 ? NAN : 1); /* was never a number before */
        sw_log(sw, "lr", INFINITY);
        step(sw);
    }
    ck_assert_int_eq(probe_messages, 1);
    ck_assert_str_eq(probe_message, "alert: train/loss is NaN: it is not a number since step 1");
    assert_recorded(sw, "alert 10 step 1 nan 1 train/loss is NaN: it is not a number since "
                        "step 1\n");
}
END_TEST

START_TEST(the_alert_of_a_metric_with_a_long_name_has_the_whole_name_in_its_text)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    char name[61] = {0}, expected[256];
    memset(name, 'n', 60);
    sw_log(sw, name, 1);
    step(sw);
    sw_log(sw, name, NAN);
    snprintf(expected, sizeof expected,
             "alert: %.56s\u2026 is NaN: %s is not a number since step 0", name, name);
    ck_assert_str_eq(probe_message, expected);
    sw_close(sw, NULL);
}
END_TEST

SUITE(alerts)
{
    tcase_add_test(tc, an_alert_comes_with_its_step_level_and_texts);
    tcase_add_test(tc, the_same_title_within_a_minute_is_counted_and_not_sent);
    tcase_add_test(tc, a_loop_that_makes_up_titles_does_not_forget_the_newest);
    tcase_add_test(tc, long_texts_are_cut_at_a_character_and_bytes_that_are_none_are_shown);
    tcase_add_test(tc, an_alert_without_a_title_or_with_an_unknown_level_is_refused);
    tcase_add_test(tc, the_alert_of_a_metric_with_a_long_name_has_the_whole_name_in_its_text);
    tcase_add_test(tc, a_metric_that_becomes_nan_is_told_once_with_its_step);
}
