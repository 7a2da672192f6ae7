/* SPDX-License-Identifier: MIT */
/* test_fuzz.c - the seeds of the fuzzer, and each with bytes changed by chance, the same in every
 * run. */
#include "tests/fuzz/fuzz_wandb.h"
#include "tests/support/suite.h"

#include <stdio.h>

enum { ROOM = 65536 };

/* The seeds, and how many records are read of each: a record by itself is read twice. */
static const struct {
    const char *name;
    int64_t records;
} seeds[] = {{"smallest", 4},    {"empty", 0},      {"torn", 3},    {"damaged", 3},
             {"every-kind", 20}, {"two-blocks", 4}, {"history", 2}, {"typed-history", 2},
             {"artifact", 2},    {"environment", 2}};

static uint8_t data[ROOM];

static size_t seed_read(int i)
{
    char path[1024];
    snprintf(path, sizeof path, SRCDIR "/tests/fuzz/wandb/%s", seeds[i].name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return size;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

START_TEST(each_seed_is_read_as_far_as_it_goes)
{
    size_t size = seed_read(_i);
    ck_assert_int_eq(fuzz_wandb(data, size), seeds[_i].records);
}
END_TEST

START_TEST(each_changed_seed_is_read_to_its_end)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    size_t size = seed_read(_i);
    for (int round = 0; size && round < 400; round++) {
        size_t at = next(&state) % size;
        uint8_t before = data[at];
        data[at] = (uint8_t)next(&state);
        fuzz_wandb(data, size);
        if (round % 8)
            data[at] = before;
    }
}
END_TEST

SUITE(wandb_fuzz)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_seed_is_read_as_far_as_it_goes, 0, sizeof seeds / sizeof *seeds);
    tcase_add_loop_test(tc, each_changed_seed_is_read_to_its_end, 0, sizeof seeds / sizeof *seeds);
}
