/* SPDX-License-Identifier: MIT */
/* test_sweep_param.c - numbers that a sweep gives the program, read from the file of wandb's agent.
 */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

/* As the agent of wandb 0.31.0 writes it. */
static const char parameters[] = "wandb_version: 1\n\n"
                                 "lr:\n  value: 0.1\n"
                                 "tiny:\n  value: 1.0e-07\n"
                                 "n:\n  value: 64\n"
                                 "flag:\n  value: true\n"
                                 "'off':\n  value: false\n"
                                 "octal:\n  value: 010\n"
                                 "yes_:\n  value: yes\n"
                                 "none:\n  value: null\n"
                                 "name:\n  value: adam\n"
                                 "text:\n  value: '12'\n"
                                 "home:\n  value: ${HOME\n"
                                 "layers:\n  value:\n  - 1\n  - 2\n";

static void begin(const char *text)
{
    scratch_enter();
    scratch_write("config.yaml", text, strlen(text));
    setenv("WANDB_SWEEP_PARAM_PATH", scratch_path("config.yaml"), 1);
}

static void end(void)
{
    unsetenv("WANDB_SWEEP_PARAM_PATH");
}

START_TEST(a_number_of_the_sweep_counts)
{
    begin(parameters);
    struct sw_profiler *sw = probe_open("mode: simple");
    ck_assert_double_eq(sw_param(sw, "lr", 9), 0.1);
    ck_assert_double_eq(sw_param(sw, "tiny", 9), 1e-7);
    ck_assert_double_eq(sw_param(sw, "n", 9), 64);
    ck_assert_double_eq(sw_param(sw, "flag", 9), 1);
    ck_assert_double_eq(sw_param(sw, "off", 9), 0);
    ck_assert_double_eq(sw_param(NULL, "lr", 9), 0.1);
    ck_assert_double_eq(sw_param(NULL, "octal", 9), 8);
    ck_assert_double_eq(sw_param(NULL, "yes_", 9), 1);
    ck_assert_int_eq(probe_messages, 0);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.config_count, 5);
    ck_assert_ptr_nonnull(strstr(probe.config[0], "lr"));
}
END_TEST

START_TEST(without_a_sweep_or_the_name_the_programs_own_number_counts)
{
    begin(parameters);
    struct sw_profiler *sw = probe_open("mode: simple");
    ck_assert_double_eq(sw_param(sw, "momentum", 0.9), 0.9);
    ck_assert_double_eq(sw_param(sw, "wandb_version", 3), 3);
    ck_assert_double_eq(sw_param(sw, NULL, 3), 3);
    unsetenv("WANDB_SWEEP_PARAM_PATH");
    ck_assert_double_eq(sw_param(sw, "lr", 0.5), 0.5);
    ck_assert_int_eq(probe_messages, 0);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.config_count, 3);
}
END_TEST

static const struct {
    const char *name, *said;
} not_numbers[] = {{"none", "the sweep's none is a list, a mapping or nothing, expected a number"},
                   {"name", "the sweep's name is \"adam\", expected a number: 0.5 is used"},
                   {"text", "the sweep's text is \"12\", expected a number"},
                   {"layers", "the sweep's layers is a list"}};

START_TEST(what_is_not_a_number_is_said)
{
    begin(parameters);
    struct sw_profiler *sw = probe_open("mode: simple");
    ck_assert_double_eq(sw_param(sw, not_numbers[_i].name, 0.5), 0.5);
    ck_assert_msg(strstr(probe_message, not_numbers[_i].said) != NULL, "%s", probe_message);
    sw_close(sw, NULL);
}
END_TEST

static const struct {
    const char *content, *said;
} files[] = {{NULL, "WANDB_SWEEP_PARAM_PATH: "},
             {"lr: [", "WANDB_SWEEP_PARAM_PATH: "},
             {"\xff", "WANDB_SWEEP_PARAM_PATH: "}};

START_TEST(a_file_that_cannot_be_read_is_said)
{
    begin(files[_i].content ? files[_i].content : "");
    if (!files[_i].content)
        setenv("WANDB_SWEEP_PARAM_PATH", "/nonexistent/config.yaml", 1);
    struct sw_profiler *sw = probe_open("mode: simple");
    ck_assert_double_eq(sw_param(sw, "lr", 0.5), 0.5);
    ck_assert_msg(strstr(probe_message, files[_i].said) != NULL, "%s", probe_message);
    ck_assert_ptr_nonnull(strstr(probe_message, ": 0.5 is used"));
    sw_close(sw, NULL);
}
END_TEST

START_TEST(an_empty_file_has_no_numbers)
{
    begin("");
    struct sw_profiler *sw = probe_open("mode: simple");
    ck_assert_double_eq(sw_param(sw, "lr", 0.5), 0.5);
    ck_assert_int_eq(probe_messages, 0);
    sw_close(sw, NULL);
}
END_TEST

SUITE(sweep_param)
{
    tcase_add_checked_fixture(tc, NULL, end);
    tcase_add_test(tc, a_number_of_the_sweep_counts);
    tcase_add_test(tc, without_a_sweep_or_the_name_the_programs_own_number_counts);
    tcase_add_loop_test(tc, what_is_not_a_number_is_said, 0, 4);
    tcase_add_loop_test(tc, a_file_that_cannot_be_read_is_said, 0, 3);
    tcase_add_test(tc, an_empty_file_has_no_numbers);
}
