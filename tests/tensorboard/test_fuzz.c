/* SPDX-License-Identifier: MIT */
/* test_fuzz.c - inputs made by chance, the same in every run. */
#include "tests/fuzz/seeds.h"
#include "tests/support/suite.h"

START_TEST(every_input_gives_a_file_that_can_be_read)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    uint8_t data[600];
    int64_t records = 0;
    for (int round = 0; round < 2000; round++) {
        size_t size = seed_chance(&state) % sizeof data;
        for (size_t i = 0; i < size; i++)
            data[i] = (uint8_t)seed_chance(&state);
        records += fuzz_tensorboard(data, size);
    }
    ck_assert_int_gt(records, 2000);
}
END_TEST

SUITE(tensorboard_fuzz)
{
    tcase_add_test(tc, every_input_gives_a_file_that_can_be_read);
}
