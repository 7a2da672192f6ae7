/* SPDX-License-Identifier: MIT */
/* stepwatch schedule says which steps are recorded; stepwatch capture asks for them. */
#include "tests/support/host.h"
#include "tests/support/recorder.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void assert_says(const char *yaml, const char *arguments, const char *expected)
{
    char line[256];
    file_write("windows.yaml", yaml);
    snprintf(line, sizeof line, "schedule windows.yaml %s", arguments);
    ck_assert_int_eq(stepwatch(line), 0);
    ck_assert_str_eq(command_output(), expected);
}

#define EXAMPLE "profiler: {schedule: {skip_first: 10, wait: 5, warmup: 1, active: 3, repeat: 2}}\n"

START_TEST(it_shows_the_steps_that_are_recorded_and_those_that_never_are)
{
    assert_says(EXAMPLE, "--steps 40",
                "schedule: skip_first 10, wait 5, warmup 1, active 3, repeat 2\n"
                "recorded      16-18, 25-27 (6 steps)\n"
                "warm-up       15, 24 (2 steps)\n"
                "never         0-14, 19-23, 28-39 (32 steps)\n"
                "2 windows\n"
                "From step 28 on no step is recorded: the schedule has ended.\n");
}
END_TEST

START_TEST(it_says_that_no_step_will_be_recorded)
{
    assert_says(
        EXAMPLE, "--steps 8",
        "schedule: skip_first 10, wait 5, warmup 1, active 3, repeat 2\n"
        "never         0-7 (8 steps)\n"
        "No step will be recorded: the first window begins with step 16, but the run ends after 8 "
        "steps. Shorten skip_first, wait or warmup, or run at least 17 steps.\n");
}
END_TEST

START_TEST(it_says_that_the_run_ends_within_a_window)
{
    assert_says("profiler: {schedule: {wait: 1, active: 2, skip_first_wait: true}}\n", "--steps=4",
                "schedule: skip_first 0, wait 1, warmup 0, active 2, repeat 0, skip_first_wait\n"
                "recorded      0-1, 3 (3 steps)\n"
                "never         2 (1 step)\n"
                "2 windows; the end of the run cuts the last one\n");
}
END_TEST

START_TEST(it_says_that_a_window_begins_after_the_last_step)
{
    assert_says("profiler: {schedule: {wait: 1, active: 2}}\n", "--steps 4",
                "schedule: skip_first 0, wait 1, warmup 0, active 2, repeat 0\n"
                "recorded      1-2 (2 steps)\n"
                "never         0, 3 (2 steps)\n"
                "1 window\n"
                "One more window begins after the last step: it records what follows, but no "
                "step.\n");
}
END_TEST

START_TEST(many_ranges_are_cut)
{
    file_write("windows.yaml", "profiler: {schedule: {wait: 1, active: 1}}\n");
    ck_assert_int_eq(stepwatch("schedule windows.yaml --steps 1000000"), 0);
    assert_printed("45, 47, and 499976 more ranges (500000 steps)\n");
    assert_printed("500000 windows\n");
}
END_TEST

START_TEST(without_a_schedule_it_says_what_is_recorded)
{
    assert_says("profiler: simple\n", "--steps 8",
                "There is no schedule: the whole run is recorded.\n");
    assert_says(
        "profiler: {capture: {steps: 3}}\n", "--steps 8",
        "There is no schedule: no step will be recorded, except on demand (key capture).\n");
}
END_TEST

START_TEST(a_mistake_of_the_file_is_shown_with_its_place)
{
    file_write("windows.yaml", "profiler: {schedule: {active: 0}}\n");
    ck_assert_int_eq(stepwatch("schedule windows.yaml --steps 8"), 1);
    assert_printed("windows.yaml:1:31: profiler: schedule: active: 0 is not within 1..1000000000");
}
END_TEST

START_TEST(the_number_of_steps_must_be_given)
{
    file_write("windows.yaml", "profiler: simple\n");
    ck_assert_int_eq(stepwatch("schedule windows.yaml"), 2);
    assert_printed("--steps is missing");
    ck_assert_int_eq(stepwatch("schedule windows.yaml --steps 0"), 2);
    assert_printed("--steps: \"0\" is not a number from 1 to 100000000");
    ck_assert_int_eq(stepwatch("schedule windows.yaml --steps 4x"), 2);
    ck_assert_int_eq(stepwatch("schedule a b --steps 4"), 2);
}
END_TEST

/* ---- capture --------------------------------------------------------------------------------- */

START_TEST(a_path_is_touched_and_made_if_need_be)
{
    scratch_enter();
    ck_assert_int_eq(stepwatch("capture here"), 0);
    assert_printed("touched here");
    ck_assert_int_eq(access(scratch_path("here"), F_OK), 0);
    ck_assert_int_eq(stepwatch("capture nowhere/here"), 1);
    assert_printed("No such file or directory");
}
END_TEST

START_TEST(a_process_is_asked)
{
    char line[64];
    struct sw_error err;
    struct sw_profiler *sw = recorder_open("capture: {steps: 4}");
    snprintf(line, sizeof line, "capture %d", (int)getpid());
    ck_assert_int_eq(stepwatch(line), 0);
    assert_printed("records its next 4 training steps");
    snprintf(line, sizeof line, "capture %d --steps 1", (int)getpid());
    ck_assert_int_eq(stepwatch(line), 0);
    assert_printed("records its next 1 training step\n");
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_int_eq(stepwatch(line), 1);
    assert_printed("cannot be asked for a capture");
    ck_assert_int_eq(stepwatch("capture here --steps 3"), 2);
    ck_assert_int_eq(stepwatch("capture"), 2);
}
END_TEST

static void in_scratch(void)
{
    scratch_enter();
}

SUITE(schedule)
{
    tcase_add_checked_fixture(tc, in_scratch, NULL);
    tcase_add_test(tc, it_shows_the_steps_that_are_recorded_and_those_that_never_are);
    tcase_add_test(tc, it_says_that_no_step_will_be_recorded);
    tcase_add_test(tc, it_says_that_the_run_ends_within_a_window);
    tcase_add_test(tc, it_says_that_a_window_begins_after_the_last_step);
    tcase_add_test(tc, many_ranges_are_cut);
    tcase_add_test(tc, without_a_schedule_it_says_what_is_recorded);
    tcase_add_test(tc, a_mistake_of_the_file_is_shown_with_its_place);
    tcase_add_test(tc, the_number_of_steps_must_be_given);
    tcase_add_test(tc, a_path_is_touched_and_made_if_need_be);
    tcase_add_test(tc, a_process_is_asked);
}
