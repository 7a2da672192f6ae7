/* SPDX-License-Identifier: MIT */
/* The mistakes of each faulty/NAME.yaml are those in faulty/NAME.expected. A new case is these two
 * files. */
#include "tests/config/sample.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

static void enter(void)
{
    sample_enter(SRCDIR "/tests/config/faulty");
}

/* The mistakes of NAME.yaml with a line break behind the last; the caller's to free(). */
static char *mistakes_of(const char *name)
{
    char path[512], *text = NULL, *lines = NULL;
    struct sw_error err;
    snprintf(path, sizeof path, "%s.yaml", name);
    int count = sw_config_check(path, &text, &err);
    ck_assert_msg(count >= 0, "%s: %s", name, sw_error_text(&err));
    ck_assert_int_gt(asprintf(&lines, "%s\n", text ? text : "no mistake"), 0);
    free(text);
    return lines;
}

START_TEST(every_faulty_file_gets_its_expected_text)
{
    char **names;
    int count = sample_names(&names), wrong = 0;
    for (int i = 0; i < count; i++) {
        char *found = mistakes_of(names[i]), *expected = sample_text(names[i], "expected");
        if (strcmp(found, expected) != 0 && ++wrong)
            fprintf(stderr, "%s.yaml: found\n%sexpected\n%s", names[i], found, expected);
        free(found);
        free(expected);
        free(names[i]);
    }
    free(names);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_ge(count, 70);
}
END_TEST

START_TEST(opening_a_faulty_file_reports_the_same)
{
    char **names;
    int count = sample_names(&names);
    for (int i = 0; i < count; i++) {
        char path[512], *expected = sample_text(names[i], "expected");
        struct sw_error err;
        snprintf(path, sizeof path, "%s.yaml", names[i]);
        ck_assert_ptr_null(sw_open(path, &err));
        ck_assert_int_eq(err.code, SW_ECONFIG);
        ck_assert_uint_eq(strlen(expected), strlen(sw_error_text(&err)) + 1);
        ck_assert_msg(strncmp(sw_error_text(&err), expected, strlen(sw_error_text(&err))) == 0,
                      "%s", names[i]);
        sw_error_free(&err);
        free(expected);
        free(names[i]);
    }
    free(names);
}
END_TEST

START_TEST(every_sentence_has_a_place_and_no_secret)
{
    char **names;
    int count = sample_names(&names);
    for (int i = 0; i < count; i++) {
        char *text = mistakes_of(names[i]), *rest = NULL;
        ck_assert_msg(strstr(text, "hunter2") == NULL, "%s shows a secret", names[i]);
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            char file[512], place[512];
            snprintf(file, sizeof file, "%s.yaml:", names[i]);
            ck_assert_msg(strncmp(line, file, strlen(file)) == 0, "%s", line);
            for (const char *c = line; *c; c++)
                ck_assert_msg((unsigned char)*c >= 0x20 && *c != 0x7f, "%s", names[i]);
            int n = sscanf(line + strlen(file), "%500[0-9]:%500[0-9]:", place, place);
            ck_assert_msg(n == 2 || strcmp(names[i], "utf_16") == 0, "%s", line);
        }
        free(text);
        free(names[i]);
    }
    free(names);
}
END_TEST

SUITE(config_faulty)
{
    tcase_add_checked_fixture(tc, enter, sample_leave);
    tcase_add_test(tc, every_faulty_file_gets_its_expected_text);
    tcase_add_test(tc, opening_a_faulty_file_reports_the_same);
    tcase_add_test(tc, every_sentence_has_a_place_and_no_secret);
}
