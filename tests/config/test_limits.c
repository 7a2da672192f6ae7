/* SPDX-License-Identifier: MIT */
/* Texts made to exhaust whoever reads them: each is answered by one sentence, at once. */
#include "tests/config/sample.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

static FILE *out;
static char *text;
static size_t size;

static void begin(void)
{
    sample_enter(NULL);
    out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
}

static void end(void)
{
    free(text);
    sample_leave();
}

static void repeat(int times, const char *part)
{
    for (int i = 0; i < times; i++)
        fputs(part, out);
}

/* What sw_config_check() says of the text, as a file of the name x; valid until the next call. */
static const char *mistakes(void)
{
    static char *found;
    struct sw_error err;
    fclose(out);
    sample_write("x", text, size);
    free(found);
    found = NULL;
    int count = sw_config_check("x", &found, &err);
    ck_assert_msg(count >= 0, "%s", sw_error_text(&err));
    return found ? found : "no mistake";
}

#define NODES "more than 100000 texts, lists and mappings, including those of aliases"
#define DEPTH "lists and mappings are nested more than 64 deep"
#define BYTES "more than 1 MiB of text, including that of aliases and ${...}"

START_TEST(an_alias_bomb_is_counted_not_walked)
{
    fputs("a0: &a0 [x, x, x, x, x, x, x, x, x]\n", out);
    for (int i = 1; i < 10; i++) {
        fprintf(out, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            fprintf(out, "%s*a%d", k ? ", " : "", i - 1);
        fputs("]\n", out);
    }
    ck_assert_str_eq(mistakes(), "x:6:10: " NODES);
}
END_TEST

START_TEST(a_bomb_of_text_is_counted)
{
    fputs("name: &t ", out);
    repeat(2000, "0123456789");
    fputs("\nplugin_path: [", out);
    repeat(100, "*t, ");
    fputs("]\n", out);
    ck_assert_str_eq(mistakes(), "x:2:219: " BYTES);
}
END_TEST

START_TEST(a_bomb_of_variables_is_counted)
{
    char *value = malloc(100001);
    memset(value, 'v', 100000);
    value[100000] = '\0';
    setenv("SW_TEST_LONG", value, 1);
    free(value);
    fputs("name: \"", out);
    repeat(1000, "${SW_TEST_LONG}");
    fputs("\"\n", out);
    ck_assert_str_eq(mistakes(), "x:1:7: the text is longer than 1 MiB after ${...} is expanded");
}
END_TEST

START_TEST(lists_may_nest_64_deep_within_the_file)
{
    fputs("plugin_path: ", out);
    repeat(63, "[");
    repeat(63, "]");
    fputs("\n", out);
    ck_assert_str_eq(mistakes(), "x:1:15: plugin_path: found a list, expected a folder");
}
END_TEST

START_TEST(lists_nested_deeper_end_the_reading)
{
    fputs("plugin_path: ", out);
    repeat(64, "[");
    repeat(64, "]");
    ck_assert_str_eq(mistakes(), "x:1:77: " DEPTH);
}
END_TEST

START_TEST(a_hundred_thousand_brackets_end_at_the_65th)
{
    repeat(100000, "[");
    ck_assert_str_eq(mistakes(), "x:1:65: " DEPTH);
}
END_TEST

START_TEST(a_hundred_thousand_braces_end_at_the_65th)
{
    repeat(100000, "{a: ");
    ck_assert_str_eq(mistakes(), "x:1:257: " DEPTH);
}
END_TEST

START_TEST(dashes_nest_as_well)
{
    repeat(100000, "- ");
    ck_assert_str_eq(mistakes(), "x:1:129: " DEPTH);
}
END_TEST

START_TEST(depth_is_counted_through_aliases)
{
    fputs("a: &a ", out);
    repeat(40, "[");
    repeat(40, "]");
    fputs("\nb: ", out);
    repeat(24, "[");
    fputs("*a", out);
    repeat(24, "]");
    ck_assert_str_eq(mistakes(), "x:2:28: " DEPTH);
}
END_TEST

START_TEST(a_list_within_itself_is_refused)
{
    fputs("plugin_path: &a [*a]\n", out);
    ck_assert_str_eq(mistakes(), "x:1:18: the alias *a is within the value that it refers to");
}
END_TEST

START_TEST(a_hundred_thousand_texts_end_the_reading)
{
    fputs("plugin_path: [", out);
    repeat(100001, "a,");
    fputs("]\n", out);
    ck_assert_str_eq(mistakes(), "x:1:200009: " NODES);
}
END_TEST

START_TEST(aliases_are_at_most_1024)
{
    fputs("name: &n x\nplugin_path: [", out);
    repeat(1025, "*n,");
    fputs("]\n", out);
    ck_assert_str_eq(mistakes(), "x:2:3087: more than 1024 aliases (*name)");
}
END_TEST

START_TEST(anchors_are_at_most_1024)
{
    fputs("plugin_path: [", out);
    repeat(1025, "&n x,");
    fputs("]\n", out);
    ck_assert_str_eq(mistakes(), "x:1:5135: more than 1024 anchors (&name)");
}
END_TEST

START_TEST(a_file_of_a_mebibyte_is_read)
{
    fputs("profiler: simple #", out);
    repeat((1 << 20) - 19, "x");
    fputs("\n", out);
    ck_assert_str_eq(mistakes(), "no mistake");
}
END_TEST

START_TEST(a_longer_file_is_refused_unread)
{
    fputs("profiler: simple #", out);
    repeat((1 << 20) - 18, "x");
    fputs("\n", out);
    ck_assert_str_eq(mistakes(), "x: is larger than 1 MiB: is it a configuration?");
}
END_TEST

START_TEST(a_key_of_two_megabytes_is_refused_unread)
{
    repeat(2000000, "k");
    fputs(": x\n", out);
    ck_assert_str_eq(mistakes(), "x: is larger than 1 MiB: is it a configuration?");
}
END_TEST

START_TEST(a_long_key_is_cut_in_its_message)
{
    fputs("? ", out);
    repeat(500000, "k");
    fputs("\n: x\n", out);
    ck_assert_str_eq(
        mistakes(),
        "x:1:3: unknown key \""
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
        "kkkk...\": the keys are name, profiler, logger_callback, monitors, ranks and plugin_path");
}
END_TEST

START_TEST(not_more_than_a_thousand_mistakes_are_looked_for)
{
    for (int i = 0; i < 40000; i++)
        fprintf(out, "- !t%d x\n", i);
    const char *found = mistakes(), *last = strrchr(found, '\n');
    ck_assert_str_eq(last + 1, "x:1000:3: too many mistakes: the rest of the file was not checked");
}
END_TEST

START_TEST(forty_thousand_unknown_keys_are_answered)
{
    for (int i = 0; i < 40000; i++)
        fprintf(out, "profiler%d: x\n", i);
    const char *found = mistakes();
    ck_assert_ptr_nonnull(
        strstr(found, "x:1:1: unknown key \"profiler0\": did you mean profiler?"));
    ck_assert_ptr_nonnull(strstr(found, "\nx:1001:1: too many mistakes"));
}
END_TEST

START_TEST(forty_thousand_times_the_same_key_are_answered)
{
    repeat(40000, "name: x\n");
    const char *found = mistakes();
    ck_assert_ptr_nonnull(strstr(found, "x:2:1: the key \"name\" is given twice; first at 1:1: "
                                        "remove one of them"));
}
END_TEST

SUITE(config_limits)
{
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, an_alias_bomb_is_counted_not_walked);
    tcase_add_test(tc, a_bomb_of_text_is_counted);
    tcase_add_test(tc, a_bomb_of_variables_is_counted);
    tcase_add_test(tc, lists_may_nest_64_deep_within_the_file);
    tcase_add_test(tc, lists_nested_deeper_end_the_reading);
    tcase_add_test(tc, a_hundred_thousand_brackets_end_at_the_65th);
    tcase_add_test(tc, a_hundred_thousand_braces_end_at_the_65th);
    tcase_add_test(tc, dashes_nest_as_well);
    tcase_add_test(tc, depth_is_counted_through_aliases);
    tcase_add_test(tc, a_list_within_itself_is_refused);
    tcase_add_test(tc, a_hundred_thousand_texts_end_the_reading);
    tcase_add_test(tc, aliases_are_at_most_1024);
    tcase_add_test(tc, anchors_are_at_most_1024);
    tcase_add_test(tc, a_file_of_a_mebibyte_is_read);
    tcase_add_test(tc, a_longer_file_is_refused_unread);
    tcase_add_test(tc, a_key_of_two_megabytes_is_refused_unread);
    tcase_add_test(tc, a_long_key_is_cut_in_its_message);
    tcase_add_test(tc, not_more_than_a_thousand_mistakes_are_looked_for);
    tcase_add_test(tc, forty_thousand_unknown_keys_are_answered);
    tcase_add_test(tc, forty_thousand_times_the_same_key_are_answered);
}
