/* SPDX-License-Identifier: MIT */
/* test_characters.c - what is UTF-8, and what becomes of what is not. */

#include "core/text/characters.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    const char *repaired; /* NULL: valid as it is */
} cases[] = {
    {"", NULL},
    {"loss/train", NULL},
    {"gr\xc3\xb6\xc3\x9f"
     "e",
     NULL},
    {"\xe2\x82\xac \xf0\x9f\x94\xa5", NULL},
    {"\x7f\xc2\x80", NULL},
    {"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", NULL},
    {"a\xff"
     "b",
     "a\\xffb"},
    {"\x80", "\\x80"},
    {"cut \xc3", "cut \\xc3"},
    {"cut \xf0\x9f\x94", "cut \\xf0\\x9f\\x94"},
    {"overlong \xc0\xaf", "overlong \\xc0\\xaf"},
    {"overlong \xe0\x9f\xbf", "overlong \\xe0\\x9f\\xbf"},
    {"overlong \xf0\x8f\xbf\xbf", "overlong \\xf0\\x8f\\xbf\\xbf"},
    {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
    {"beyond \xf4\x90\x80\x80", "beyond \\xf4\\x90\\x80\\x80"},
    {"lead, lead \xc3\xc3\xb6", "lead, lead \\xc3\xc3\xb6"},
};

START_TEST(a_byte_that_is_not_utf8_is_written_as_its_number)
{
    const char *text = cases[_i].text;
    const char *expected = cases[_i].repaired ? cases[_i].repaired : text;
    ck_assert_int_eq(swi_utf8_is_valid(text, strlen(text)), cases[_i].repaired == NULL);
    char *copy = swi_utf8_repair(text, strlen(text));
    ck_assert_str_eq(copy, expected);
    ck_assert(swi_utf8_is_valid(copy, strlen(copy)));
    free(copy);
}
END_TEST

SUITE(characters)
{
    tcase_add_loop_test(tc, a_byte_that_is_not_utf8_is_written_as_its_number, 0,
                        sizeof cases / sizeof *cases);
}
