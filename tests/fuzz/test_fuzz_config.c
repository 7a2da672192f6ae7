/* SPDX-License-Identifier: MIT */
/* test_fuzz_config.c - the configurations of tests/config, and each with bytes changed by chance.
 */
#include "tests/config/sample.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 10 };

static bool is_faulty(uint8_t *data, size_t size)
{
    return fuzz_config(data, size) > 0;
}

static bool is_judged_when_changed(uint8_t *data, size_t size)
{
    struct seed_found found = seed_change(data, size, TIMES, fuzz_config);
    return found.inputs == TIMES && found.least >= 0;
}

/* How many files of a folder are so, of how many. Sinks may open files of their own where they are
 * opened: the working directory is another folder. */
static int count(const char *folder, bool (*is_so)(uint8_t *data, size_t size), int *files)
{
    static uint8_t data[SEED_ROOM];
    int found = 0;
    char **names;
    sample_enter(folder);
    *files = sample_names(&names);
    sample_leave();
    sample_enter(NULL);
    for (int i = 0; i < *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.yaml", folder, names[i]);
        found += is_so(data, seed_read(data, path));
        free(names[i]);
    }
    free(names);
    sample_leave();
    return found;
}

START_TEST(good_files_have_no_mistake)
{
    int files;
    ck_assert_int_eq(count(SRCDIR "/tests/config/good", is_faulty, &files), 0);
    ck_assert_int_gt(files, 10);
}
END_TEST

START_TEST(faulty_files_have_one)
{
    int files, found = count(SRCDIR "/tests/config/faulty", is_faulty, &files);
    ck_assert_int_eq(found, files);
    ck_assert_int_gt(files, 10);
}
END_TEST

START_TEST(what_was_found_is_refused_as_it_should_be)
{
    int files, found = count(SRCDIR "/tests/fuzz/config", is_faulty, &files);
    ck_assert_int_eq(found, files);
    ck_assert_int_gt(files, 0);
}
END_TEST

START_TEST(changed_good_files_are_taken_or_refused)
{
    int files, found = count(SRCDIR "/tests/config/good", is_judged_when_changed, &files);
    ck_assert_int_eq(found, files);
}
END_TEST

START_TEST(changed_faulty_files_are_taken_or_refused)
{
    int files, found = count(SRCDIR "/tests/config/faulty", is_judged_when_changed, &files);
    ck_assert_int_eq(found, files);
}
END_TEST

SUITE(fuzz_config)
{
    tcase_add_test(tc, good_files_have_no_mistake);
    tcase_add_test(tc, faulty_files_have_one);
    tcase_add_test(tc, what_was_found_is_refused_as_it_should_be);
    tcase_add_test(tc, changed_good_files_are_taken_or_refused);
    tcase_add_test(tc, changed_faulty_files_are_taken_or_refused);
}
