/* SPDX-License-Identifier: MIT */
/* The reader of run logs against jansson: the same texts are JSON, and say the same. */
#include "tests/support/log_json.h"
#include "tests/support/suite.h"
#include "tools/log/log_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct log_line line;

/* Returns the values of a text, which lives until the next one. */
static const struct log_value *parsed(const char *text)
{
    static char *own;
    free(own);
    own = strdup(text);
    ck_assert_ptr_nonnull(own);
    const struct log_value *value = log_line_parse(&line, own, strlen(own));
    if (!value)
        ck_assert_str_eq(own, text); /* for a message about it */
    return value;
}

/* ---- the same as jansson ---- */

static const char *const texts[] = {
    "{}",
    "[]",
    " { } ",
    "{\"a\":1}",
    "[1,2,3]",
    "{\"a\":{\"b\":[{}]},\"c\":[[],[[1]]]}",
    "{\"type\":\"step\",\"t\":12,\"durations\":{\"draw\":[1,2],\"batch\":3}}\r",
    "[true,false,null,\"\",\"x\"]",
    "\t[ 1 ,\n2 ]",
    /* numbers */
    "[0,-0,-1,10,9223372036854775807,-9223372036854775808]",
    "[9223372036854775808]",
    "[-9223372036854775809]",
    "[18446744073709551616]",
    "[99999999999999999999]",
    "[01]",
    "[-]",
    "[+1]",
    "[1.]",
    "[.5]",
    "[1.5,-2.25e3,1E-2,1e+2,0.0,-0.0]",
    "[1e]",
    "[1e+]",
    "[1.5.5]",
    "[1e308]",
    "[1e309]",
    "[-1e309]",
    "[1e-400]",
    "[0x10]",
    "[NaN]",
    "[Infinity]",
    "[1 2]",
    "[1x]",
    /* texts */
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
    "[\"\\u00e9\\u20ac\\ud83d\\ude00 and \\u0041\"]",
    "[\"\\u0000\"]",
    "[\"\\ud83d\"]",
    "[\"\\ud83d\\u0041\"]",
    "[\"\\ude00\"]",
    "[\"\\u12g4\"]",
    "[\"\\x\"]",
    "[\"\\\"]",
    "[\"a\nb\"]",
    "[\"a\tb\"]",
    "[\"\x7f\"]",
    "[\"\xc3\xa9\xf0\x9f\x98\x80\"]",
    "[\"\xff\"]",
    "[\"\xc3\"]",
    "[\"\xed\xa0\x80\"]",
    "[\"\xc0\xaf\"]",
    "[\"\xf4\x90\x80\x80\"]",
    "[\"a\\n\xc3\xa9\"]",
    "[\"a\\n\xc3\"]",
    "[\"",
    "[\"a",
    "[\"a\\",
    "[\"a\\u00",
    /* structure */
    "",
    " ",
    "1",
    "\"a\"",
    "null",
    "{",
    "[",
    "}",
    "]",
    "[1,]",
    "{\"a\":1,}",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "{1:1}",
    "{\"a\" : 1 , \"b\":2}",
    "{\"a\":1 \"b\":2}",
    "[1]]",
    "[1] x",
    "{}{}",
    "[tru]",
    "[nullx]",
    "[\"a\" \"b\"]",
    "{\"a\":1]",
    "[1}",
    "\xef\xbb\xbf{}",
    /* keys */
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"\\u0061\":2}",
    "{\"\":1,\"b\":2,\"\":3}",
    "{\"ab\":1,\"ba\":2}",
    "{\"a\":{\"a\":{\"a\":1}}}",
    "{\"a\":[{\"b\":1,\"b\":1}]}",
};

static void assert_same(const char *text)
{
    json_t *expected = json_loadb(text, strlen(text), JSON_REJECT_DUPLICATES, NULL);
    const struct log_value *value = parsed(text);
    json_t *found = value ? log_value_json(value) : NULL;
    ck_assert_msg(!found == !expected, "%s: jansson %s it", text, expected ? "takes" : "refuses");
    ck_assert_msg(!expected || json_equal(expected, found), "%s: is read as something else", text);
    json_decref(expected);
    json_decref(found);
}

START_TEST(a_text_is_read_as_jansson_reads_it)
{
    assert_same(texts[_i]);
    log_line_free(&line);
}
END_TEST

/* Writes `count` brackets or members. */
static char *written(const char *before, const char *each, size_t count, const char *after)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    fputs(before, out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, each, i ? "," : "", i); /* NOLINT(*-format-nonliteral) */
    fputs(after, out);
    fclose(out);
    return text;
}

START_TEST(deep_nesting_is_read_as_jansson_reads_it)
{
    for (size_t depth = 2040; depth < 2060; depth++) {
        char text[5000] = "";
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_same(text);
    }
    static char open[1000001];
    memset(open, '[', sizeof open - 1);
    assert_same(open);
    log_line_free(&line);
}
END_TEST

START_TEST(every_member_of_a_large_object_is_found)
{
    char key[32], *text = written("{", "%s\"key %zu\":{\"x\":[]}", 5000, ",\"last\":7}");
    const struct log_value *value = parsed(text);
    ck_assert_uint_eq(value->size, 5001);
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        ck_assert_ptr_nonnull(log_get(log_get(value, key), "x"));
    }
    ck_assert_int_eq(log_integer(value, "last", 0), 7);
    ck_assert_ptr_null(log_get(value, "key 5000"));
    free(text);
    text = written("{", "%s\"key %zu\":1", 5000, ",\"key 77\":7}");
    assert_same(text);
    free(text);
    log_line_free(&line);
}
END_TEST

/* ---- access ---- */

START_TEST(what_is_not_there_or_of_another_type_gives_the_fallback)
{
    const struct log_value *value =
        parsed("{\"i\":5,\"r\":2.5,\"s\":\"text\",\"t\":true,\"f\":false,\"n\":null,\"a\":[1]}");
    ck_assert_int_eq(log_integer(value, "i", -1), 5);
    ck_assert_int_eq(log_integer(value, "r", -1), -1);
    ck_assert_int_eq(log_integer(value, "x", -1), -1);
    ck_assert_int_eq(log_integer(log_get(value, "i"), "i", -1), -1);
    ck_assert_int_eq(log_integer(NULL, "i", -1), -1);
    ck_assert_str_eq(log_string(value, "s", "none"), "text");
    ck_assert_str_eq(log_string(value, "i", "none"), "none");
    ck_assert(log_true(value, "t") && !log_true(value, "f") && !log_true(value, "n"));
    ck_assert(log_false(value, "f") && !log_false(value, "t") && !log_false(value, "x"));
    ck_assert_ptr_null(log_at(log_get(value, "a"), 1));
    ck_assert_ptr_null(log_at(log_get(value, "s"), 0));
    ck_assert_ptr_null(log_first(log_get(value, "s")));
    ck_assert_ptr_null(log_first(value));
    ck_assert_uint_eq(log_count(value), 0);
    ck_assert_uint_eq(log_count(log_get(value, "a")), 1);
    ck_assert_ptr_null(log_first_key(log_get(value, "a")));
    log_line_free(&line);
}
END_TEST

START_TEST(numbers_that_json_lacks_are_texts)
{
    const struct log_value *value =
        parsed("[\"NaN\",\"Infinity\",\"-Infinity\",\"1\",0.1,3,12345678901234567890.5]");
    ck_assert(isnan(log_number(log_at(value, 0), 0)));
    ck_assert(log_number(log_at(value, 1), 0) > 1e308);
    ck_assert(log_number(log_at(value, 2), 0) < -1e308);
    ck_assert(log_number(log_at(value, 3), 7) == 7);
    ck_assert(log_number(log_at(value, 4), 0) == 0.1);
    ck_assert(log_number(log_at(value, 5), 0) == 3);
    ck_assert(log_number(log_at(value, 6), 0) == 12345678901234567890.5);
    ck_assert(log_digits(log_at(value, 0), 7) == 7);
    log_line_free(&line);
}
END_TEST

START_TEST(a_copy_outlives_the_line)
{
    char *text = written("[", "%s{\"name\":\"a\\n%zu\",\"value\":0.5}", 100, "]");
    struct log_value *copy = log_value_copy(parsed(text));
    json_t *expected = json_loads(text, 0, NULL);
    parsed("[\"something else\"]");
    json_t *found = log_value_json(copy);
    ck_assert(json_equal(found, expected));
    ck_assert_str_eq(log_string(log_at(copy, 42), "name", ""), "a\n42");
    ck_assert(log_number(log_get(log_at(copy, 99), "value"), 0) == 0.5);
    json_decref(found);
    json_decref(expected);
    free(copy);
    free(text);
    log_line_free(&line);
}
END_TEST

SUITE(log_value)
{
    tcase_add_loop_test(tc, a_text_is_read_as_jansson_reads_it, 0, sizeof texts / sizeof *texts);
    tcase_add_test(tc, deep_nesting_is_read_as_jansson_reads_it);
    tcase_add_test(tc, every_member_of_a_large_object_is_found);
    tcase_add_test(tc, what_is_not_there_or_of_another_type_gives_the_fallback);
    tcase_add_test(tc, numbers_that_json_lacks_are_texts);
    tcase_add_test(tc, a_copy_outlives_the_line);
}
