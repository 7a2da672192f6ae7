/* SPDX-License-Identifier: MIT */
#include "tests/support/suite.h"

#include "core/shown.h"

#include <string.h>

static const struct {
    const char *text;
    const char *shown;
} cases[] = {
    {"", ""},
    {"plain text", "plain text"},
    {"gr\xc3\xb6\xc3\x9f"
     "e \xe6\xad\xa9 \xf0\x9f\x90\xa2",
     "gr\xc3\xb6\xc3\x9f"
     "e \xe6\xad\xa9 \xf0\x9f\x90\xa2"},
    {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
    {"two\nlines\ttab\x7f", "two\\x0alines\\x09tab\\x7f"},
    {"\xc2\x9b"
     "31m",
     "\\u{9b}31m"},
    {"\xe2\x80\xae"
     "evil",
     "\\u{202e}evil"},
    {"no\xc2\xa0"
     "break",
     "no\\u{a0}break"},
    {"\xff\xfe", "\\xff\\xfe"},
    {"\xc0\xaf overlong", "\\xc0\\xaf overlong"},
    {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
    {"\xed\xa0\x80 surrogate", "\\xed\\xa0\\x80 surrogate"},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    {"\xf5\x80", "\\xf5\\x80"},
    {"cut off \xe6\xad", "cut off \\xe6\\xad"},
    {"100% %n %s", "100% %n %s"},
};

START_TEST(what_would_steer_a_terminal_is_shown_instead)
{
    char buffer[96];
    ck_assert_str_eq(swi_show(buffer, sizeof buffer, cases[_i].text), cases[_i].shown);
    ck_assert_str_eq(SWI_SHOWN(cases[_i].text), cases[_i].shown);
}
END_TEST

START_TEST(a_long_text_is_cut_at_a_character)
{
    char text[200], buffer[32];
    memset(text, 'a', sizeof text);
    text[31] = '\0';
    ck_assert_str_eq(swi_show(buffer, sizeof buffer, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    text[31] = 'a';
    text[199] = '\0';
    ck_assert_str_eq(swi_show(buffer, sizeof buffer, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaaa...");
    memcpy(text + 27, "\xe6\xad\xa9", 3);
    ck_assert_str_eq(swi_show(buffer, sizeof buffer, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaa...");
}
END_TEST

SUITE(shown)
{
    tcase_add_loop_test(tc, what_would_steer_a_terminal_is_shown_instead, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tc, a_long_text_is_cut_at_a_character);
}
