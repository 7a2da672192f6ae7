/* SPDX-License-Identifier: MIT */
/* test_fuzz.c - .wandb files, whole and damaged. */
#include "tests/fuzz/seeds.h"
#include "tests/support/suite.h"

#include <stdio.h>

enum { TIMES = 400 };

/* The seeds, and how many records are read of each: a record by itself is read twice. */
static const struct {
    const char *name;
    int64_t records;
} seeds[] = {{"smallest", 4},    {"empty", 0},      {"torn", 3},    {"damaged", 3},
             {"every-kind", 20}, {"two-blocks", 4}, {"history", 2}, {"typed-history", 2},
             {"artifact", 2},    {"environment", 2}};

static uint8_t data[SEED_ROOM];

static size_t seed(int i)
{
    char path[1024];
    snprintf(path, sizeof path, SRCDIR "/tests/fuzz/wandb/%s", seeds[i].name);
    return seed_read(data, path);
}

START_TEST(each_seed_is_read_as_far_as_it_goes)
{
    size_t size = seed(_i);
    ck_assert_int_eq(fuzz_wandb(data, size), seeds[_i].records);
}
END_TEST

START_TEST(of_a_changed_seed_no_record_is_read_that_was_not_there)
{
    size_t size = seed(_i);
    struct seed_found found = seed_change(data, size, TIMES, fuzz_wandb);
    ck_assert_int_eq(found.inputs, size ? TIMES : 0);
    ck_assert_int_le(found.most, seeds[_i].records);
}
END_TEST

SUITE(wandb_fuzz)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_seed_is_read_as_far_as_it_goes, 0, sizeof seeds / sizeof *seeds);
    tcase_add_loop_test(tc, of_a_changed_seed_no_record_is_read_that_was_not_there, 0,
                        sizeof seeds / sizeof *seeds);
}
