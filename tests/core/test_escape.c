/* SPDX-License-Identifier: MIT */
/* What may appear in a name, and what each output makes of it. */
#include "core/text/buffer.h"
#include "core/text/escape.h"
#include "tests/support/suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *terminal;
    const char *csv;
    const char *markdown;
    const char *json;
} names[] = {
    {"augment", "augment", "augment", "augment", "\"augment\""},
    {"opt_step", "opt_step", "opt_step", "opt_step", "\"opt_step\""},
    {"", "", "", "", "\"\""},
    {"gr\u00f6\u00dfe", "gr\u00f6\u00dfe", "gr\u00f6\u00dfe", "gr\u00f6\u00dfe",
     "\"gr\u00f6\u00dfe\""},
    /* steers a terminal */
    {"a\033[31m", "a\\x1b[31m", "a\033[31m", "a\\\\x1b\\[31m", "\"a\\u001b[31m\""},
    {"a\xc2\x9b"
     "2J",
     "a\\u{9b}2J",
     "a\xc2\x9b"
     "2J",
     "a\\\\u{9b}2J", "\"a\\u009b2J\""},
    {"a\177", "a\\x7f", "a\177", "a\\\\x7f", "\"a\\u007f\""},
    /* turns the text round */
    {"a\u202eb", "a\\u{202e}b", "a\u202eb", "a\\\\u{202e}b", "\"a\\u202eb\""},
    /* is not UTF-8: a lone byte, an overlong slash, a surrogate, a character cut off */
    {"a\xff", "a\\xff", "a\\xff", "a\\\\xff", "\"a\\\\xff\""},
    {"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf", "\\\\xc0\\\\xaf", "\"\\\\xc0\\\\xaf\""},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80",
     "\"\\\\xed\\\\xa0\\\\x80\""},
    {"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82", "\\\\xe2\\\\x82", "\"\\\\xe2\\\\x82\""},
    /* ends a cell or a line */
    {"a,b", "a,b", "\"a,b\"", "a,b", "\"a,b\""},
    {"a\"b", "a\"b", "\"a\"\"b\"", "a\"b", "\"a\\\"b\""},
    {"a|b", "a|b", "a|b", "a\\|b", "\"a|b\""},
    {"a\nb", "a\\x0ab", "\"a\nb\"", "a\\\\x0ab", "\"a\\u000ab\""},
    {"a\\b", "a\\b", "a\\b", "a\\\\b", "\"a\\\\b\""},
    /* is a formula */
    {"=1+1", "=1+1", "'=1+1", "=1+1", "\"=1+1\""},
    {"+a", "+a", "'+a", "+a", "\"+a\""},
    {"-a", "-a", "'-a", "-a", "\"-a\""},
    {"@a", "@a", "'@a", "@a", "\"@a\""},
    {"\t=a", "\\x09=a", "'\t=a", "\\\\x09=a", "\"\\u0009=a\""},
    {"=a,b", "=a,b", "\"'=a,b\"", "=a,b", "\"=a,b\""},
    /* is markup */
    {"*a*", "*a*", "*a*", "\\*a\\*", "\"*a*\""},
    {"_a_", "_a_", "_a_", "\\_a\\_", "\"_a_\""},
    {"a__b", "a__b", "a__b", "a\\_\\_b", "\"a__b\""},
    {"<b>&", "<b>&", "<b>&", "&lt;b&gt;&amp;", "\"<b>&\""},
    {"[a](b)", "[a](b)", "[a](b)", "\\[a\\](b)", "\"[a](b)\""},
    {"`a`#~", "`a`#~", "`a`#~", "\\`a\\`\\#\\~", "\"`a`#~\""},
    {"%s%n", "%s%n", "%s%n", "%s%n", "\"%s%n\""},
};

static const char *escaped(swi_escape_fn *escape, const char *name)
{
    static char shown[256];
    struct swi_text text = {0};
    escape(&text, name);
    snprintf(shown, sizeof shown, "%s", text.data ? text.data : "");
    swi_text_free(&text);
    return shown;
}

START_TEST(a_name_is_escaped_for_each_output)
{
    ck_assert_str_eq(escaped(swi_escape_terminal, names[_i].name), names[_i].terminal);
    ck_assert_str_eq(escaped(swi_escape_csv, names[_i].name), names[_i].csv);
    ck_assert_str_eq(escaped(swi_escape_markdown, names[_i].name), names[_i].markdown);
    ck_assert_str_eq(escaped(swi_escape_json, names[_i].name), names[_i].json);
}
END_TEST

static const struct {
    const char *name;
    const char *shown;
} cells[] = {
    {"augment", "augment"},           {"a\033[31m,b", "\"a\\x1b[31m,b\""},
    {"a\nb", "\"a\\x0ab\""},          {"=1+\"\u202e\"", "\"'=1+\"\"\\u{202e}\"\"\""},
    {"\xff\xc2\x9b", "\\xff\\u{9b}"}, {"\t=a", "'\\x09=a"},
};

START_TEST(a_cell_of_a_csv_file_steers_no_terminal)
{
    ck_assert_str_eq(escaped(swi_escape_csv_terminal, cells[_i].name), cells[_i].shown);
}
END_TEST

START_TEST(a_character_beyond_the_basic_plane_is_two_in_json)
{
    ck_assert_str_eq(escaped(swi_escape_json, "a\U000e0001"), "\"a\\udb40\\udc01\"");
}
END_TEST

/* Returns whether a text is plain in which one byte of 'a's is another one. */
static bool is_plain_with(unsigned char byte, size_t at, size_t size)
{
    char text[32];
    memset(text, 'a', sizeof text);
    text[at] = (char)byte;
    return swi_text_is_plain(text, size);
}

START_TEST(text_is_plain_if_each_byte_is_wherever_it_is)
{
    for (size_t size = 1; size <= 24; size++)
        for (size_t at = 0; at < size; at++)
            for (unsigned byte = 0; byte < 256; byte++) {
                bool plain = byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
                ck_assert_msg(is_plain_with((unsigned char)byte, at, size) == plain,
                              "0x%02x at %zu of %zu", byte, at, size);
            }
    ck_assert(swi_text_is_plain("", 0));
    ck_assert(is_plain_with('"', 9, 9)); /* after the end */
}
END_TEST

START_TEST(width_is_in_characters)
{
    ck_assert_uint_eq(swi_text_width(""), 0);
    ck_assert_uint_eq(swi_text_width("771.3\u00b5s"), 7);
    ck_assert_uint_eq(swi_text_width("\u65e5\u672c\xff"), 3);
}
END_TEST

START_TEST(text_grows_as_far_as_it_must)
{
    struct swi_text text = {0};
    for (int i = 0; i < 1000; i++)
        swi_text_format(&text, "%d,", i);
    swi_text_fill(&text, '-', 300);
    ck_assert_uint_eq(text.size, 10 * 2 + 90 * 3 + 900 * 4 + 300);
    ck_assert_uint_eq(strlen(text.data), text.size);
    ck_assert(!text.failed);
    swi_text_free(&text);
}
END_TEST

START_TEST(a_format_escapes_its_strings_and_adds_the_rest_as_it_is)
{
    struct swi_text text = {0};
    swi_escape_format(&text, swi_escape_html, "<b>%s</b> %.*s %.2f %.3g 100%%", "a<b & \"c\"\n", 4,
                      "<br>x", 1.239, 1234.5);
    ck_assert_str_eq(text.data, "<b>a&#60;b &#38; &#34;c&#34;\\x0a</b> <br> 1.24 1.23e+03 100%");
    swi_text_free(&text);
}
END_TEST

START_TEST(a_format_of_json_has_numbers_that_read_back)
{
    struct swi_text text = {0};
    swi_json_format(&text, "{\"%.*s\":%s,\"a\":[%d,%u,%zu,%" PRId64 ",%" PRIu64 "]", 3, "key",
                    "a\"\xff", -1, 4000000000u, (size_t)7, INT64_MIN, UINT64_MAX);
    swi_json_format(&text, ",\"b\":[%g,%g,%g]}", 0.1, 3.0, (double)NAN);
    ck_assert_str_eq(text.data,
                     "{\"key\":\"a\\\"\\\\xff\",\"a\":[-1,4000000000,7,-9223372036854775808,"
                     "18446744073709551615],\"b\":[0.1,3.0,\"NaN\"]}");
    swi_text_free(&text);
}
END_TEST

SUITE(escape)
{
    tcase_add_test(tc, a_format_escapes_its_strings_and_adds_the_rest_as_it_is);
    tcase_add_test(tc, a_format_of_json_has_numbers_that_read_back);
    tcase_add_loop_test(tc, a_cell_of_a_csv_file_steers_no_terminal, 0,
                        sizeof cells / sizeof *cells);
    tcase_add_test(tc, a_character_beyond_the_basic_plane_is_two_in_json);
    tcase_add_loop_test(tc, a_name_is_escaped_for_each_output, 0, sizeof names / sizeof *names);
    tcase_add_test(tc, text_is_plain_if_each_byte_is_wherever_it_is);
    tcase_add_test(tc, width_is_in_characters);
    tcase_add_test(tc, text_grows_as_far_as_it_must);
}
