/* SPDX-License-Identifier: MIT */
/* test_fuzz_runlog.c - the fuzzer's seeds, and each with bytes changed by chance, the same in every
 * run. */
#include "tests/fuzz/fuzz_runlog.h"
#include "tests/support/suite.h"

#include <stdio.h>

enum { ROOM = 65536, ROUNDS = 50 };

/* The seeds, and how many lines of each are played. */
static const struct {
    const char *name;
    long lines;
} seeds[] = {{"steps", 15}, {"regions", 60},     {"metrics", 6},           {"kinds", 15},
             {"torn", 14},  {"not-counted", 19}, {"container-in-batch", 3}};

static uint8_t data[ROOM];

static size_t seed_read(int i)
{
    char path[1024];
    snprintf(path, sizeof path, SRCDIR "/tests/fuzz/runlog/%s", seeds[i].name);
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

START_TEST(each_seed_is_played_to_its_end)
{
    size_t size = seed_read(_i);
    ck_assert_int_eq(fuzz_runlog(data, size), seeds[_i].lines);
}
END_TEST

START_TEST(each_changed_seed_is_played_or_refused)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    size_t size = seed_read(_i);
    for (int round = 0; round < ROUNDS; round++) {
        size_t at = next(&state) % size;
        uint8_t before = data[at];
        data[at] = (uint8_t)next(&state);
        fuzz_runlog(data, size);
        data[at] = before;
    }
}
END_TEST

SUITE(fuzz_runlog)
{
    tcase_add_loop_test(tc, each_seed_is_played_to_its_end, 0, sizeof seeds / sizeof *seeds);
    tcase_add_loop_test(tc, each_changed_seed_is_played_or_refused, 0,
                        sizeof seeds / sizeof *seeds);
}
