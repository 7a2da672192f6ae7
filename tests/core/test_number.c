/* SPDX-License-Identifier: MIT */
#include "core/text/digits.h"
#include "core/text/exact_number.h"
#include "core/text/number.h"
#include "sinks/common/trace_formats/json_event.h"
#include "core/text/wire.h"
#include "tests/support/golden.h"
#include "tests/support/suite.h"

#include <inttypes.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void add_fn(struct swi_text *text, double value);

static const char *written(add_fn *add, double value)
{
    static char shown[128];
    struct swi_text text = {0};
    add(&text, value);
    snprintf(shown, sizeof shown, "%s", text.data);
    swi_text_free(&text);
    return shown;
}

static bool is_written(add_fn *add, double value, const char *expected)
{
    const char *found = written(add, value);
    bool right = strcmp(found, expected) == 0;
    if (!right)
        fprintf(stderr, "%.17g is \"%s\", expected \"%s\"\n", value, found, expected);
    return right;
}

/* How many numbers in one list of a golden file are not written as the text beside them. */
static int golden_wrong(const char *file, const char *list, add_fn *add)
{
    int wrong = 0;
    size_t i;
    json_t *pair, *golden = golden_json("fastxtend/%s", file);
    ck_assert_uint_gt(json_array_size(json_object_get(golden, list)), 10);
    json_array_foreach(json_object_get(golden, list), i, pair)
    {
        double value = json_number_value(json_array_get(pair, 0));
        wrong += !is_written(add, value, json_string_value(json_array_get(pair, 1)));
    }
    json_decref(golden);
    return wrong;
}

START_TEST(times_have_four_digits_and_a_prefix_as_in_the_golden_cases)
{
    ck_assert_int_eq(golden_wrong("scale_time_cases.json", "cases", swi_number_time), 0);
}
END_TEST

START_TEST(a_time_beyond_the_prefixes_keeps_the_nearest)
{
    ck_assert_str_eq(written(swi_number_time, 3e-26), "0.03000ys");
    ck_assert_str_eq(written(swi_number_time, 5e16), "5.000E+04Ts");
    ck_assert_str_eq(written(swi_number_time, -0.25), "-250.0ms");
    ck_assert_str_eq(written(swi_number_time, NAN), "-");
}
END_TEST

START_TEST(percents_are_rounded_as_in_the_golden_cases)
{
    ck_assert_int_eq(golden_wrong("percent_samples_cases.json", "percent", swi_number_percent), 0);
}
END_TEST

START_TEST(rates_are_rounded_and_grouped_as_in_the_golden_cases)
{
    ck_assert_int_eq(golden_wrong("percent_samples_cases.json", "samples", swi_number_rate), 0);
}
END_TEST

START_TEST(rates_that_are_not_numbers_are_written_as_text)
{
    ck_assert_str_eq(written(swi_number_rate, NAN), "-");
    ck_assert_str_eq(written(swi_number_rate, INFINITY), "inf");
    ck_assert_str_eq(written(swi_number_rate, 1e21), "1,000,000,000,000,000,000,000");
}
END_TEST

/* As Python's repr() writes them. */
static const struct {
    double value;
    const char *text;
} exact[] = {
    {0, "0.0"},
    {-0.0, "-0.0"},
    {1, "1.0"},
    {-1.5, "-1.5"},
    {0.1, "0.1"},
    {100, "100.0"},
    {1234.5, "1234.5"},
    {0.0001, "0.0001"},
    {0.00001, "1e-05"},
    {8.741403703704798e-05, "8.741403703704798e-05"},
    {2.402712809, "2.402712809"},
    {1.0 / 3, "0.3333333333333333"},
    {9007199254740993.0, "9007199254740992.0"},
    {1e15, "1000000000000000.0"},
    {1e16, "1e+16"},
    {1.5e300, "1.5e+300"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {INFINITY, "inf"},
    {-INFINITY, "-inf"},
    {NAN, "nan"},
};

START_TEST(exact_numbers_have_the_fewest_digits_that_read_back)
{
    ck_assert_str_eq(written(swi_number_exact, exact[_i].value), exact[_i].text);
}
END_TEST

/* Any bits but those of an infinity or NAN; of eight, one is a number with few digits, and four are
 * of the size that most are. */
static double any_double(uint64_t *seed, int i)
{
    double value;
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = *seed ^ *seed >> 29;
    memcpy(&value, &bits, sizeof value);
    if (i % 8 == 0)
        return (double)(bits % 100000) / 1000;
    if (i % 2)
        return ldexp((double)(bits >> 11), -80 + (int)(bits % 80));
    return isfinite(value) ? fabs(value) : 1;
}

/* Without the zeros around them. */
static int digits_of(const char *number, char digits[40])
{
    int count = 0, kept = 0;
    for (; *number && *number != 'e'; number++)
        if (*number >= '0' && *number <= '9' && (count || *number != '0')) {
            digits[count++] = *number;
            kept = *number == '0' ? kept : count;
        }
    digits[kept] = '\0';
    return kept;
}

START_TEST(no_exact_number_has_a_digit_too_many_or_too_few)
{
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char fewer[40], nearest[40], digits[40], expected[40];
        struct swi_text text = {0};
        double value = any_double(&seed, i);
        swi_number_exact(&text, value);
        int count = digits_of(text.data, digits);
        ck_assert_msg(strtod(text.data, NULL) == value, "%.17g became %s", value, text.data);
        snprintf(nearest, sizeof nearest, "%.*e", count > 1 ? count - 1 : 0, value);
        digits_of(nearest, expected);
        ck_assert_str_eq(digits, expected);
        snprintf(fewer, sizeof fewer, "%.*e", count > 1 ? count - 2 : 0, value);
        ck_assert_msg(count < 2 || strtod(fewer, NULL) != value, "%.17g became %s", value,
                      text.data);
        swi_text_free(&text);
    }
}
END_TEST

static const struct {
    int64_t units;
    int digits;
    const char *written;
} decimals[] = {
    {0, 9, "0.0"},
    {1, 9, "0.000000001"},
    {1500, 3, "1.5"},
    {3000000000, 9, "3.0"},
    {455601113, 9, "0.455601113"},
    {1795463961377394, 6, "1795463961.377394"},
    {INT64_MAX, 9, "9223372036.854775807"},
    {INT64_MAX, 1, "922337203685477580.7"},
    {INT64_MAX, 15, "9223.372036854775807"},
};

START_TEST(decimals_are_written_as_they_are)
{
    struct swi_text text = {0};
    swi_number_decimal(&text, decimals[_i].units, decimals[_i].digits);
    ck_assert_str_eq(text.data, decimals[_i].written);
    ck_assert_uint_eq(text.size, strlen(text.data));
    swi_text_free(&text);
}
END_TEST

START_TEST(joules_have_three_digits_that_count_or_all_before_the_point)
{
    static const struct {
        double joules;
        const char *text;
    } cases[] = {
        {0.00001, "0.0000100"}, {0.0123, "0.0123"}, {2, "2.00"}, {16.4, "16"}, {12345, "12,345"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert(is_written(swi_number_joules, cases[i].joules, cases[i].text));
}
END_TEST

START_TEST(json_has_strings_for_what_is_not_finite)
{
    ck_assert_str_eq(written(swi_number_json, 2.5), "2.5");
    ck_assert_str_eq(written(swi_number_json, NAN), "\"NaN\"");
    ck_assert_str_eq(written(swi_number_json, INFINITY), "\"Infinity\"");
    ck_assert_str_eq(written(swi_number_json, -INFINITY), "\"-Infinity\"");
}
END_TEST

/* A locale with a decimal comma: one that is installed, or one made for this test. */
static bool comma_set(void)
{
    char folder[] = "/tmp/stepwatch-locale-XXXXXX", command[256];
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"))
        return true;
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/comma >%s/log 2>&1", folder,
             folder);
    setenv("LOCPATH", folder, 1);
    bool made = system(command) == 0 && setlocale(LC_ALL, "comma");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && made;
}

START_TEST(the_locale_changes_nothing)
{
    if (!comma_set()) {
        puts("SKIP the_locale_changes_nothing: no locale with a decimal comma, and no localedef");
        return;
    }
    ck_assert_str_eq(localeconv()->decimal_point, ",");
    ck_assert_str_eq(written(swi_number_exact, 1234.5), "1234.5");
    ck_assert_str_eq(written(swi_number_exact, 1.5e-7), "1.5e-07");
    ck_assert_str_eq(written(swi_number_time, 0.08662), "86.62ms");
    ck_assert_str_eq(written(swi_number_rate, 1136.4), "1,136");
    struct swi_text text = {0};
    swi_number_fixed(&text, 98.64, 1);
    ck_assert_str_eq(text.data, "98.6");
    swi_text_free(&text);
}
END_TEST

/* ---- numbers of traces ----------------------------------------------------------------------- */

static uint64_t lot = 1;

/* Numbers of all lengths, and those beside a power of ten or of two. */
static uint64_t some_number(int i)
{
    static const uint64_t tens[] = {1,
                                    10,
                                    1000,
                                    10000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    100000000000,
                                    10000000000000000,
                                    1000000000000000000};
    enum { TENS = sizeof tens / sizeof *tens, TWOS = 63, NEAR = 3 * (TENS + TWOS) };
    lot = lot * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (i >= NEAR)
        return lot >> 1 >> i % 62;
    uint64_t round = i / 3 < TENS ? tens[i / 3] : UINT64_C(1) << (i / 3 - TENS);
    return round + (uint64_t)(i % 3) - 1;
}

enum { SOME_NUMBERS = 200000 };

START_TEST(whole_numbers_have_all_their_digits)
{
    char found[SWI_DIGITS_ROOM + 1], expected[32];
    for (int i = 0; i < SOME_NUMBERS; i++) {
        uint64_t number = i ? some_number(i - 1) : UINT64_MAX;
        *swi_digits_put(found, number) = '\0';
        snprintf(expected, sizeof expected, "%" PRIu64, number);
        ck_assert_str_eq(found, expected);
    }
}
END_TEST

START_TEST(nanoseconds_are_microseconds_with_three_decimals)
{
    char found[40], expected[40];
    for (int i = 0; i < SOME_NUMBERS; i++) {
        int64_t ns = (int64_t)some_number(i);
        *swi_event_us(found, ns) = '\0';
        snprintf(expected, sizeof expected, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
        ck_assert_str_eq(found, expected);
    }
    *swi_event_us(found, -5) = '\0';
    ck_assert_str_eq(found, "0.000");
}
END_TEST

START_TEST(a_varint_is_the_same_with_and_without_branches)
{
    char found[16] = "", expected[16] = "";
    for (int i = 0; i < SOME_NUMBERS; i++) {
        uint64_t number = some_number(i);
        size_t size = (size_t)(swi_wire_varint(expected, number) - expected);
        ck_assert_uint_eq((size_t)(swi_wire_varint_mixed(found, number) - found), size);
        ck_assert_mem_eq(found, expected, size);
    }
}
END_TEST

SUITE(number)
{
    tcase_add_test(tc, whole_numbers_have_all_their_digits);
    tcase_add_test(tc, nanoseconds_are_microseconds_with_three_decimals);
    tcase_add_test(tc, a_varint_is_the_same_with_and_without_branches);
    tcase_add_test(tc, times_have_four_digits_and_a_prefix_as_in_the_golden_cases);
    tcase_add_test(tc, a_time_beyond_the_prefixes_keeps_the_nearest);
    tcase_add_test(tc, percents_are_rounded_as_in_the_golden_cases);
    tcase_add_test(tc, rates_are_rounded_and_grouped_as_in_the_golden_cases);
    tcase_add_test(tc, rates_that_are_not_numbers_are_written_as_text);
    tcase_add_loop_test(tc, exact_numbers_have_the_fewest_digits_that_read_back, 0,
                        sizeof exact / sizeof *exact);
    tcase_add_test(tc, no_exact_number_has_a_digit_too_many_or_too_few);
    tcase_add_loop_test(tc, decimals_are_written_as_they_are, 0,
                        sizeof decimals / sizeof *decimals);
    tcase_add_test(tc, joules_have_three_digits_that_count_or_all_before_the_point);
    tcase_add_test(tc, json_has_strings_for_what_is_not_finite);
    tcase_add_test(tc, the_locale_changes_nothing);
}
