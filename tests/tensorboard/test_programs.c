/* SPDX-License-Identifier: MIT */
/* test_programs.c - the example, and the header for C++, as programs. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const char *program, const char *directory)
{
    char command[4096];
    snprintf(command, sizeof command, BUILDDIR "/%s %s", program, directory);
    return system(command);
}

START_TEST(the_example_writes_a_curve_and_a_note)
{
    ck_assert_int_eq(run("examples/tensorboard", in_scratch("run")), 0);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(values_of(events, "loss"), 500);
    ck_assert_str_eq(value_of(events, "loss", 0, NULL)->metadata->description,
                     "The loss of *nothing in particular*");
    ck_assert_ptr_nonnull(value_of(events, "notes", 0, NULL));
    events_free(events);
}
END_TEST

START_TEST(cplusplus_writes_the_same_records)
{
    ck_assert_int_eq(run("tests/tensorboard/wrapper", scratch()), 0);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(values_of(events, "loss"), 4);
    ck_assert_uint_eq(values_of(events, "rate"), 1);
    ck_assert_ptr_nonnull(value_of(events, "weights", 0, NULL));
    ck_assert_ptr_nonnull(value_of(events, "notes", 0, NULL));
    events_free(events);
}
END_TEST

SUITE(tensorboard_programs)
{
    tcase_add_checked_fixture(tc, NULL, scratch_remove);
    tcase_add_test(tc, the_example_writes_a_curve_and_a_note);
    tcase_add_test(tc, cplusplus_writes_the_same_records);
}
