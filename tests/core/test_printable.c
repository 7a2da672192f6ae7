/* SPDX-License-Identifier: MIT */
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "tests/support/suite.h"

#include "core/text/buffer.h"
#include "core/text/printable.h"

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
    ck_assert_str_eq(swi_printable(buffer, sizeof buffer, cases[_i].text), cases[_i].shown);
    ck_assert_str_eq(SWI_PRINTABLE(cases[_i].text), cases[_i].shown);
}
END_TEST

START_TEST(a_long_text_is_cut_at_a_character)
{
    char text[200], buffer[32];
    memset(text, 'a', sizeof text);
    text[31] = '\0';
    ck_assert_str_eq(swi_printable(buffer, sizeof buffer, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    text[31] = 'a';
    text[199] = '\0';
    ck_assert_str_eq(swi_printable(buffer, sizeof buffer, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaaa...");
    memcpy(text + 27, "\xe6\xad\xa9", 3);
    ck_assert_str_eq(swi_printable(buffer, sizeof buffer, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaa...");
}
END_TEST

/* ---- one rule for the whole tree ------------------------------------------------------------- */

static size_t encode(char text[8], uint32_t code)
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(first[length] | code);
    text[length] = '\0';
    return length;
}

static bool escaped_by_sinks(const char *text)
{
    static struct swi_text shown;
    shown.size = 0;
    swi_escape_terminal(&shown, text);
    return strcmp(shown.data, text) != 0;
}

/* In quotes, as a value of a configuration. */
static bool quoted_with_escape(const char *text)
{
    char printed[64] = "";
    FILE *out = fmemopen(printed, sizeof printed, "w");
    swi_quote_print(text, out);
    fclose(out);
    return strchr(printed, '\\') != NULL;
}

START_TEST(library_sinks_and_configurations_escape_the_same_characters)
{
    char text[8], shown[32];
    uint32_t read = 0;
    for (uint32_t code = 1; code < 0x110000; code = code == 0xd7ff ? 0xe000 : code + 1) {
        size_t length = encode(text, code);
        bool unsafe = swi_character_is_unsafe(code);
        if (swi_utf8_next(text, length, &read) != length || read != code ||
            (strcmp(swi_printable(shown, sizeof shown, text), text) != 0) != unsafe ||
            escaped_by_sinks(text) != unsafe ||
            (code != '"' && code != '\\' && quoted_with_escape(text) != unsafe))
            ck_abort_msg("U+%04X", (unsigned)code);
    }
}
END_TEST

/* Of each kind the first and the last, and a neighbour that is fine. */
static const struct {
    uint32_t code;
    bool unsafe;
} kinds[] = {
    {0x1f, true},    {' ', false},    {0x7e, false},    {0x7f, true},     {0xa0, true},
    {0xa1, false},   {0xad, true},    {0x600, true},    {0x61c, true},    {0x180e, true},
    {0x200b, true},  {0x2010, false}, {0x2028, true},   {0x202e, true},   {0x2030, false},
    {0x2066, true},  {0x206f, true},  {0x2070, false},  {0x3000, true},   {0x3001, false},
    {0xfeff, true},  {0xfff9, true},  {0xfffd, false},  {0xffff, true},   {0x1f422, false},
    {0xe0001, true}, {0xe007f, true}, {0xe0080, false}, {0x10ffff, true},
};

START_TEST(what_is_unsafe_steers_or_hides)
{
    ck_assert_msg(swi_character_is_unsafe(kinds[_i].code) == kinds[_i].unsafe, "U+%04X",
                  (unsigned)kinds[_i].code);
}
END_TEST

START_TEST(a_newline_in_a_name_ends_no_line)
{
    struct sw_error err;
    sw_error_set(&err, SW_EIO, "a\nb.yaml: cannot be read");
    swi_printable_error(&err);
    ck_assert_str_eq(sw_error_text(&err), "a\\x0ab.yaml: cannot be read");
    sw_error_free(&err);
}
END_TEST

START_TEST(each_mistake_of_a_configuration_is_shown)
{
    struct sw_error err;
    sw_error_set(&err, SW_ECONFIG, "a\033[31m.yaml:1:1: wrong\n\xff.yaml:2:1: worse");
    swi_printable_error(&err);
    ck_assert_str_eq(sw_error_text(&err), "a\\x1b[31m.yaml:1:1: wrong\n\\xff.yaml:2:1: worse");
    memset(err.short_, '\033', sizeof err.short_ - 1);
    err.short_[sizeof err.short_ - 1] = '\0';
    swi_printable_error(&err);
    ck_assert_ptr_null(strchr(sw_error_text(&err), '\033'));
    ck_assert_uint_eq(strlen(sw_error_text(&err)), 4 * (sizeof err.short_ - 1));
    sw_error_free(&err);
}
END_TEST

SUITE(printable)
{
    tcase_add_test(tc, library_sinks_and_configurations_escape_the_same_characters);
    tcase_add_loop_test(tc, what_is_unsafe_steers_or_hides, 0, (int)(sizeof kinds / sizeof *kinds));
    tcase_add_test(tc, each_mistake_of_a_configuration_is_shown);
    tcase_add_test(tc, a_newline_in_a_name_ends_no_line);
    tcase_add_loop_test(tc, what_would_steer_a_terminal_is_shown_instead, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tc, a_long_text_is_cut_at_a_character);
}
