/* SPDX-License-Identifier: MIT */
/* Each good/NAME.yaml is printed, resolved, as good/NAME.expected says; HERE is the folder. */
#include "tests/config/sample.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void enter(void)
{
    sample_enter(SRCDIR "/tests/config/good");
}

static void enter_scratch(void)
{
    sample_enter(NULL);
}

static char *printed(const char *path)
{
    char *text = NULL;
    struct sw_error err;
    int rc = sw_config_print(path, &text, &err);
    ck_assert_msg(rc == 0, "%s: %s", path, rc ? sw_error_text(&err) : "");
    return text;
}

/* Puts HERE in place of the working directory. */
static char *without_folder(char *text)
{
    char *here = getcwd(NULL, 0), *found = NULL;
    size_t length = strlen(here);
    while ((found = strstr(text, here)) != NULL) {
        memmove(found + 4, found + length, strlen(found + length) + 1);
        memcpy(found, "HERE", 4);
    }
    free(here);
    return text;
}

START_TEST(every_good_file_is_resolved_as_expected)
{
    char **names;
    int count = sample_names(&names), wrong = 0;
    for (int i = 0; i < count; i++) {
        char path[512], *expected = sample_text(names[i], "expected");
        snprintf(path, sizeof path, "%s.yaml", names[i]);
        char *found = without_folder(printed(path));
        if (strcmp(found, expected) != 0 && ++wrong)
            fprintf(stderr, "%s: found\n%sexpected\n%s", path, found, expected);
        free(found);
        free(expected);
        free(names[i]);
    }
    free(names);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(what_is_printed_reads_as_the_same)
{
    char **names;
    int count = sample_names(&names);
    for (int i = 0; i < count; i++) {
        char path[512], again[] = "/tmp/stepwatch-again-XXXXXX";
        snprintf(path, sizeof path, "%s.yaml", names[i]);
        char *first = printed(path);
        int fd = mkstemp(again);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(write(fd, first, strlen(first)), (ssize_t)strlen(first));
        close(fd);
        /* A masked secret is a mistake when it is read. */
        char *second = strstr(first, "\"***\"") ? strdup(first) : printed(again);
        unlink(again);
        ck_assert_str_eq(first, second);
        free(first);
        free(second);
        free(names[i]);
    }
    free(names);
}
END_TEST

START_TEST(no_good_file_has_a_mistake)
{
    char **names;
    int count = sample_names(&names);
    for (int i = 0; i < count; i++) {
        char path[512], *text = (char *)"";
        struct sw_error err;
        snprintf(path, sizeof path, "%s.yaml", names[i]);
        ck_assert_int_eq(sw_config_check(path, &text, &err), 0);
        ck_assert_ptr_null(text);
        free(names[i]);
    }
    free(names);
}
END_TEST

/* ---- the sinks that the profiler's keys add -------------------------------------------------- */

/* The part of the print behind "logger_callback:". */
static char *sinks_of(const char *yaml)
{
    sample_write("it.yaml", yaml, strlen(yaml));
    char *text = printed("it.yaml"), *sinks = strstr(text, "logger_callback:");
    ck_assert_ptr_nonnull(sinks);
    memmove(text, sinks, strlen(sinks) + 1);
    return text;
}

/* How often a text is in another. */
static int times(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

START_TEST(the_report_is_shown_by_the_table_unless_switched_off)
{
    char *on = sinks_of("profiler: simple\n"), *off = sinks_of("profiler: {show_report: false}\n");
    ck_assert_int_eq(times(on, "  - table"), 1);
    ck_assert_int_eq(times(on, "  - "), 1);
    ck_assert_int_eq(times(off, "  - "), 0);
    free(on);
    free(off);
}
END_TEST

START_TEST(markdown_and_save_csv_add_their_sinks)
{
    char *text = sinks_of("profiler: {markdown: true, save_csv: true}\n");
    ck_assert_int_eq(times(text, "  - table"), 1);
    ck_assert_int_eq(times(text, "  - markdown"), 1);
    ck_assert_int_eq(times(text, "  - csv"), 1);
    free(text);
}
END_TEST

START_TEST(a_sink_that_is_named_is_not_added)
{
    char *text = sinks_of("profiler: {markdown: true, save_csv: true, show_report: true}\n"
                          "logger_callback: [markdown, csv, table, csv: {path: b.csv}]\n");
    ck_assert_int_eq(times(text, "  - table"), 1);
    ck_assert_int_eq(times(text, "  - markdown"), 1);
    ck_assert_int_eq(times(text, "  - csv"), 2);
    free(text);
}
END_TEST

START_TEST(plain_goes_to_the_table)
{
    char *text = sinks_of("profiler: {plain: true}\n");
    ck_assert_int_eq(times(text, "      plain: true\n"), 1);
    free(text);
}
END_TEST

START_TEST(plain_goes_to_a_named_table_that_does_not_say_it)
{
    char *text = sinks_of("profiler: {plain: true}\n"
                          "logger_callback: [table, table: {plain: false}]\n");
    ck_assert_int_eq(times(text, "      plain: true\n"), 1);
    ck_assert_int_eq(times(text, "      plain: false\n"), 1);
    free(text);
}
END_TEST

START_TEST(csv_name_goes_to_the_csv)
{
    char *text = sinks_of("profiler: {save_csv: true, csv_name: mine.csv}\n");
    ck_assert_int_eq(times(text, "      path: mine.csv\n"), 1);
    free(text);
}
END_TEST

START_TEST(csv_name_does_not_replace_the_path_of_a_named_csv)
{
    char *text = sinks_of("profiler: {csv_name: mine.csv}\n"
                          "logger_callback: [csv, csv: {path: other.csv}]\n");
    ck_assert_int_eq(times(text, "      path: mine.csv\n"), 1);
    ck_assert_int_eq(times(text, "      path: other.csv\n"), 1);
    free(text);
}
END_TEST

SUITE(config_good)
{
    tcase_add_checked_fixture(tc, enter, sample_leave);
    tcase_add_test(tc, every_good_file_is_resolved_as_expected);
    tcase_add_test(tc, what_is_printed_reads_as_the_same);
    tcase_add_test(tc, no_good_file_has_a_mistake);
}

SUITE(config_sinks)
{
    tcase_add_checked_fixture(tc, enter_scratch, sample_leave);
    tcase_add_test(tc, the_report_is_shown_by_the_table_unless_switched_off);
    tcase_add_test(tc, markdown_and_save_csv_add_their_sinks);
    tcase_add_test(tc, a_sink_that_is_named_is_not_added);
    tcase_add_test(tc, plain_goes_to_the_table);
    tcase_add_test(tc, plain_goes_to_a_named_table_that_does_not_say_it);
    tcase_add_test(tc, csv_name_goes_to_the_csv);
    tcase_add_test(tc, csv_name_does_not_replace_the_path_of_a_named_csv);
}
