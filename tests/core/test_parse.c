/* SPDX-License-Identifier: MIT */
#include "tests/support/suite.h"

#include "core/text/parse.h"

#include <locale.h>

struct integer_case {
    const char *text;
    int64_t value;
};

struct refusal_case {
    const char *text;
    const char *sentence;
};

START_TEST(true_and_false_are_written_as_in_yaml)
{
    struct sw_error err;
    bool value = false;
    ck_assert_int_eq(swi_parse_bool("true", &value, &err), 0);
    ck_assert(value);
    ck_assert_int_eq(swi_parse_bool("FALSE", &value, &err), 0);
    ck_assert(!value);
}
END_TEST

static const char *const no_bools[] = {"", "yes", "on", "1", "tRue", "true ", " true", "truetrue"};

START_TEST(nothing_else_is_true_or_false)
{
    struct sw_error err;
    bool value = true;
    ck_assert_int_eq(swi_parse_bool(no_bools[_i], &value, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "is neither true nor false");
    ck_assert(value);
}
END_TEST

static const struct integer_case ints[] = {
    {"0", 0},
    {"40", 40},
    {"-3", -3},
    {"+7", 7},
    {"010", 10},
    {"9223372036854775807", INT64_MAX},
    {"-9223372036854775808", INT64_MIN},
};

START_TEST(an_integer_is_decimal)
{
    struct sw_error err;
    int64_t value = 99;
    ck_assert_int_eq(swi_parse_int(ints[_i].text, &value, &err), 0);
    ck_assert_int_eq(value, ints[_i].value);
}
END_TEST

#define NO_INTEGER "is not an integer: expected digits only, like 40 or -3"
#define INTEGER_RANGE "is not within -9223372036854775808..9223372036854775807"

static const struct refusal_case no_ints[] = {
    {"", NO_INTEGER},
    {"-", NO_INTEGER},
    {" 4", NO_INTEGER},
    {"4 ", NO_INTEGER},
    {"4.0", NO_INTEGER},
    {"1e3", NO_INTEGER},
    {"0x10", NO_INTEGER},
    {"1_000", NO_INTEGER},
    {"1,000", NO_INTEGER},
    {"--4", NO_INTEGER},
    {"ten", NO_INTEGER},
    {"9223372036854775808", INTEGER_RANGE},
    {"-9223372036854775809", INTEGER_RANGE},
};

START_TEST(text_that_is_not_an_integer_is_refused_with_a_sentence)
{
    struct sw_error err;
    int64_t value = 99;
    ck_assert_int_eq(swi_parse_int(no_ints[_i].text, &value, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), no_ints[_i].sentence);
    ck_assert_int_eq(value, 99);
}
END_TEST

static const struct {
    const char *text;
    double value;
} floats[] = {{"0", 0},      {"40", 40},          {"-0.5", -0.5},   {".5", 0.5},
              {"5.", 5},     {"1e-3", 1e-3},      {"+2.5E+2", 250}, {"0.1", 0.1},
              {"1e-999", 0}, {"1.7e308", 1.7e308}};

START_TEST(a_number_is_decimal)
{
    struct sw_error err;
    double value = 99;
    ck_assert_int_eq(swi_parse_float(floats[_i].text, &value, &err), 0);
    ck_assert(value == floats[_i].value);
}
END_TEST

#define NO_NUMBER "is not a number: expected a decimal number, like 40, 0.5 or 1e-3"

static const struct refusal_case no_floats[] = {
    {"", NO_NUMBER},      {".", NO_NUMBER},
    {"1e", NO_NUMBER},    {"1e+", NO_NUMBER},
    {"0,5", NO_NUMBER},   {" 1", NO_NUMBER},
    {"1 ", NO_NUMBER},    {"0x1p3", NO_NUMBER},
    {"inf", NO_NUMBER},   {".inf", NO_NUMBER},
    {"nan", NO_NUMBER},   {"1.2.3", NO_NUMBER},
    {"12abc", NO_NUMBER}, {"1e999", "is too large: at most 1.79e308"},
};

START_TEST(text_that_is_not_a_number_is_refused_with_a_sentence)
{
    struct sw_error err;
    double value = 99;
    ck_assert_int_eq(swi_parse_float(no_floats[_i].text, &value, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), no_floats[_i].sentence);
    ck_assert(value == 99);
}
END_TEST

/* Where no locale with a decimal comma is installed, this is the same test as in the C locale. */
START_TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    bool comma = false;
    for (size_t i = 0; !comma && i < sizeof names / sizeof *names; i++)
        comma = setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',';
    struct sw_error err;
    double value = 99;
    int64_t ns = 99;
    ck_assert_int_eq(swi_parse_float("0.5", &value, &err), 0);
    ck_assert(value == 0.5);
    ck_assert_int_eq(swi_parse_float("0,5", &value, &err), SW_EINVAL);
    ck_assert_int_eq(swi_parse_duration("0.5s", &ns, &err), 0);
    ck_assert_int_eq(ns, 500000000);
    setlocale(LC_ALL, "C");
}
END_TEST

static const struct integer_case durations[] = {
    {"0s", 0},
    {"7ns", 7},
    {"3us", 3000},
    {"250ms", 250000000},
    {"2s", 2000000000},
    {"1.5s", 1500000000},
    {"0.000000001s", 1},
    {"1.10000000000000000000000s", 1100000000},
    {"1m", 60000000000},
    {"0.5h", 1800000000000},
    {"9223372036854775807ns", INT64_MAX},
};

START_TEST(a_duration_is_a_number_and_a_unit)
{
    struct sw_error err;
    int64_t value = 99;
    ck_assert_int_eq(swi_parse_duration(durations[_i].text, &value, &err), 0);
    ck_assert_int_eq(value, durations[_i].value);
}
END_TEST

#define NO_DURATION "is not a duration: expected a number with a unit, like 250ms, 2s or 1m"
#define NO_UNIT "has no unit: expected ns, us, ms, s, m or h, like 250ms or 2s"
#define BAD_UNIT "has no known unit of time: expected ns, us, ms, s, m or h, like 250ms"
#define TOO_LONG "is too long: at most 2562047h"
#define TOO_FINE "is not a whole number of nanoseconds"

static const struct refusal_case no_durations[] = {
    {"", NO_DURATION},
    {"s", NO_DURATION},
    {"-2s", NO_DURATION},
    {"soon", NO_DURATION},
    {"1.s", NO_DURATION},
    {" 2s", NO_DURATION},
    {"5", NO_UNIT},
    {"1.5", NO_UNIT},
    {"2 s", "has a blank before its unit: write it without, like 250ms"},
    {"2 seconds", BAD_UNIT},
    {"2 ", BAD_UNIT},
    {"2sec", BAD_UNIT},
    {"2S", BAD_UNIT},
    {"1,5s", BAD_UNIT},
    {"1m30s", BAD_UNIT},
    {"1e3s", BAD_UNIT},
    {"9223372037s", TOO_LONG},
    {"99999999999999999999ns", TOO_LONG},
    {"2562048h", TOO_LONG},
    {"0.5ns", TOO_FINE},
    {"0.0000000001s", TOO_FINE},
    {"0.1234567890123456789s", TOO_FINE},
    {"9223372036.9s", TOO_LONG},
};

START_TEST(text_that_is_not_a_duration_is_refused_with_a_sentence)
{
    struct sw_error err;
    int64_t value = 99;
    ck_assert_int_eq(swi_parse_duration(no_durations[_i].text, &value, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), no_durations[_i].sentence);
    ck_assert_int_eq(value, 99);
}
END_TEST

static const struct integer_case sizes[] = {
    {"0", 0},
    {"100", 100},
    {"64kB", 64000},
    {"8MiB", 8388608},
    {"0.5KiB", 512},
    {"1.5GB", 1500000000},
    {"1TiB", INT64_C(1) << 40},
    {"3B", 3},
    {"9223372036854775807", INT64_MAX},
};

START_TEST(a_size_is_a_number_of_bytes_or_has_a_unit)
{
    struct sw_error err;
    int64_t value = 99;
    ck_assert_int_eq(swi_parse_size(sizes[_i].text, &value, &err), 0);
    ck_assert_int_eq(value, sizes[_i].value);
}
END_TEST

#define NO_SIZE "is not a size: expected a number of bytes, like 100, 64kB or 8MiB"
#define BAD_SIZE                                                                                   \
    "has no known unit of size: expected B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, like 8MiB"

static const struct refusal_case no_sizes[] = {
    {"", NO_SIZE},
    {"-1", NO_SIZE},
    {"big", NO_SIZE},
    {"8M", BAD_SIZE},
    {"8 MiB", "has a blank before its unit: write it without, like 8MiB"},
    {"8mib", BAD_SIZE},
    {"0.5", "is not a whole number of bytes"},
    {"9223372036854775808", "is too large: at most 9223372036854775807 bytes"},
    {"8388608TiB", "is too large: at most 9223372036854775807 bytes"},
};

START_TEST(text_that_is_not_a_size_is_refused_with_a_sentence)
{
    struct sw_error err;
    int64_t value = 99;
    ck_assert_int_eq(swi_parse_size(no_sizes[_i].text, &value, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), no_sizes[_i].sentence);
    ck_assert_int_eq(value, 99);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

SUITE(parse)
{
    tcase_add_test(tc, true_and_false_are_written_as_in_yaml);
    tcase_add_loop_test(tc, nothing_else_is_true_or_false, 0, COUNT(no_bools));
    tcase_add_loop_test(tc, an_integer_is_decimal, 0, COUNT(ints));
    tcase_add_loop_test(tc, text_that_is_not_an_integer_is_refused_with_a_sentence, 0,
                        COUNT(no_ints));
    tcase_add_loop_test(tc, a_number_is_decimal, 0, COUNT(floats));
    tcase_add_loop_test(tc, text_that_is_not_a_number_is_refused_with_a_sentence, 0,
                        COUNT(no_floats));
    tcase_add_test(tc, a_locale_with_a_decimal_comma_changes_nothing);
    tcase_add_loop_test(tc, a_duration_is_a_number_and_a_unit, 0, COUNT(durations));
    tcase_add_loop_test(tc, text_that_is_not_a_duration_is_refused_with_a_sentence, 0,
                        COUNT(no_durations));
    tcase_add_loop_test(tc, a_size_is_a_number_of_bytes_or_has_a_unit, 0, COUNT(sizes));
    tcase_add_loop_test(tc, text_that_is_not_a_size_is_refused_with_a_sentence, 0, COUNT(no_sizes));
}
