/* SPDX-License-Identifier: MIT */
/* test_fuzz_runlog.c - run logs, whole and damaged. */
#include "tests/fuzz/seeds.h"
#include "tests/support/suite.h"

#include <stdio.h>

enum { TIMES = 50 };

/* The seeds, and how many lines of each are played. */
static const struct {
    const char *name;
    int64_t lines;
} seeds[] = {
    {"steps", 15},       {"regions", 60},           {"metrics", 6}, {"kinds", 15}, {"torn", 13},
    {"not-counted", 38}, {"container-in-batch", 3}, {"pauses", 10}};

static uint8_t data[SEED_ROOM];

static size_t seed(int i)
{
    char path[1024];
    snprintf(path, sizeof path, SRCDIR "/tests/fuzz/runlog/%s", seeds[i].name);
    return seed_read(data, path);
}

START_TEST(each_seed_is_played_to_its_end)
{
    size_t size = seed(_i);
    ck_assert_int_eq(fuzz_runlog(data, size), seeds[_i].lines);
}
END_TEST

START_TEST(each_changed_seed_is_played_but_for_lines_that_are_refused)
{
    size_t size = seed(_i);
    struct seed_found found = seed_change(data, size, TIMES, fuzz_runlog);
    ck_assert_int_eq(found.inputs, TIMES);
    ck_assert_int_lt(found.least, seeds[_i].lines);
    /* A change may always cost a line of a short one, and none costs all that come behind it. */
    ck_assert_int_ge(found.most, seeds[_i].lines - 1);
}
END_TEST

SUITE(fuzz_runlog)
{
    tcase_add_loop_test(tc, each_seed_is_played_to_its_end, 0, sizeof seeds / sizeof *seeds);
    tcase_add_loop_test(tc, each_changed_seed_is_played_but_for_lines_that_are_refused, 0,
                        sizeof seeds / sizeof *seeds);
}
