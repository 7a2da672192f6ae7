/* SPDX-License-Identifier: MIT */
/* test_fuzz_config.c - the fuzzer's seeds, and each with bytes changed by chance, the same in every
 * run. */
#include "tests/fuzz/fuzz_config.h"
#include "tests/support/suite.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 65536, ROUNDS = 10 };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void change_and_check(uint8_t *data, size_t size)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (int round = 0; size && round < ROUNDS; round++) {
        uint8_t *at = &data[next(&state) % size], before = *at;
        *at = (uint8_t)next(&state);
        fuzz_config(data, size);
        *at = before;
    }
}

/* Each file of a folder as it is, and changed. Calls judge with what each is found to be. */
static void folder_check(const char *pattern, bool mistakes)
{
    glob_t files;
    static uint8_t data[ROOM];
    ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
    ck_assert_uint_gt(files.gl_pathc, 10);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "rb");
        ck_assert_ptr_nonnull(file);
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        int found = fuzz_config(data, size);
        ck_assert_msg(!mistakes || found != 0, "%s: no mistake was found", files.gl_pathv[i]);
        change_and_check(data, size);
    }
    globfree(&files);
}

START_TEST(good_files_and_changed_ones_are_taken_or_refused)
{
    folder_check(SRCDIR "/tests/config/good/*.yaml", false);
}
END_TEST

START_TEST(faulty_files_and_changed_ones_are_taken_or_refused)
{
    folder_check(SRCDIR "/tests/config/faulty/*.yaml", true);
}
END_TEST

SUITE(fuzz_config)
{
    tcase_add_test(tc, good_files_and_changed_ones_are_taken_or_refused);
    tcase_add_test(tc, faulty_files_and_changed_ones_are_taken_or_refused);
}
