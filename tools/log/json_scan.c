/* SPDX-License-Identifier: MIT */
#include "tools/log/json_scan.h"
#include "core/text/characters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, DIGITS = 18 };

struct json_scan scan_begin(const char *text)
{
    return (struct json_scan){.at = text};
}

static inline void blanks_skip(struct json_scan *scan)
{
    while (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r' || *scan->at == '\n')
        scan->at++;
}

static void fail(struct json_scan *scan)
{
    scan->failed = true;
}

static inline bool take(struct json_scan *scan, char c)
{
    blanks_skip(scan);
    if (*scan->at != c)
        return false;
    scan->at++;
    return true;
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool scan_is_slow(struct json_scan *scan, char kind)
{
    blanks_skip(scan);
    bool number = *scan->at == '-' || is_digit(*scan->at);
    return kind == '0' ? number : *scan->at == kind;
}

/* ---- texts ---- */

static bool escape_skip(struct json_scan *scan)
{
    const char *at = scan->at + 1;
    if (*at == 'u') {
        for (int i = 1; i <= 4; i++)
            if (!at[i] || !strchr("0123456789abcdefABCDEF", at[i]))
                return false;
        scan->at = at + 5;
        return true;
    }
    if (!*at || !strchr("\"\\/bfnrt", *at))
        return false;
    scan->at = at + 1;
    return true;
}

static bool character_skip(struct json_scan *scan)
{
    uint32_t code;
    size_t size = swi_utf8_next(scan->at, strnlen(scan->at, 4), &code);
    scan->at += size;
    return size > 0;
}

/* Skips a special character. Returns false at the end of the text. */
static bool odd_skip(struct json_scan *scan)
{
    bool fine = *scan->at == '\\'  ? escape_skip(scan)
                : *scan->at & 0x80 ? character_skip(scan)
                                   : false;
    if (!fine)
        fail(scan);
    return fine;
}

struct scan_text scan_string_slow(struct json_scan *scan)
{
    struct scan_text text = {"", 0};
    if (!take(scan, '"')) {
        fail(scan);
        return text;
    }
    text.start = scan->at;
    for (;;) {
        while ((unsigned char)*scan->at - 0x20U < 0x60U && *scan->at != '"' && *scan->at != '\\')
            scan->at++;
        if (*scan->at == '"')
            break;
        if (!odd_skip(scan))
            return text;
    }
    text.size = (size_t)(scan->at++ - text.start);
    return text;
}

/* ---- numbers ---- */

static bool digits_skip(struct json_scan *scan)
{
    const char *begin = scan->at;
    while (is_digit(*scan->at))
        scan->at++;
    return scan->at > begin;
}

/* Skips what follows the integer part. Returns whether there was something. */
static bool fraction_skip(struct json_scan *scan)
{
    const char *begin = scan->at;
    if (*scan->at == '.') {
        scan->at++;
        scan->failed = !digits_skip(scan) || scan->failed;
    }
    if (*scan->at == 'e' || *scan->at == 'E') {
        scan->at++;
        scan->at += *scan->at == '+' || *scan->at == '-';
        scan->failed = !digits_skip(scan) || scan->failed;
    }
    return scan->at > begin;
}

int64_t scan_integer_slow(struct json_scan *scan)
{
    blanks_skip(scan);
    bool negative = *scan->at == '-';
    const char *begin = scan->at += negative;
    int64_t value = 0;
    for (; is_digit(*scan->at) && scan->at - begin < DIGITS; scan->at++)
        value = 10 * value + (*scan->at - '0');
    bool is_long = is_digit(*scan->at);
    digits_skip(scan);
    if (scan->at == begin || (*begin == '0' && scan->at - begin > 1))
        fail(scan);
    bool other = fraction_skip(scan) || is_long;
    return other ? 0 : negative ? -value : value;
}

static double named_number(const struct scan_text *text)
{
    bool infinite = scan_equals(text, "Infinity") || scan_equals(text, "-Infinity");
    return !infinite ? NAN : *text->start == '-' ? -INFINITY : INFINITY;
}

double scan_number(struct json_scan *scan)
{
    blanks_skip(scan);
    if (*scan->at == '"') {
        struct scan_text text = scan_string(scan);
        return named_number(&text);
    }
    const char *begin = scan->at;
    scan_integer(scan);
    return scan->failed ? NAN : strtod(begin, NULL);
}

/* ---- structure ---- */

/* Goes to the next of several comma-separated values. Returns false at the end. */
static bool next_of(struct json_scan *scan, bool *begun, char open, char close)
{
    bool first = !*begun;
    *begun = true;
    if (first && !take(scan, open)) {
        fail(scan);
        return false;
    }
    if (take(scan, close))
        return false;
    if (!first && !take(scan, ','))
        fail(scan);
    return !scan->failed;
}

/* Reads the colon between a key and its value. */
bool scan_colon(struct json_scan *scan)
{
    if (!take(scan, ':'))
        fail(scan);
    return !scan->failed;
}

bool scan_member_slow(struct json_scan *scan, bool *begun, struct scan_text *key)
{
    if (scan->failed || !next_of(scan, begun, '{', '}'))
        return false;
    *key = scan_string(scan);
    return scan_colon(scan);
}

bool scan_element(struct json_scan *scan, bool *begun)
{
    return !scan->failed && next_of(scan, begun, '[', ']');
}

static void word_skip(struct json_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if (strncmp(scan->at, words[i], size) == 0) {
            scan->at += size;
            return;
        }
    }
    fail(scan);
}

static void skip(struct json_scan *scan, int depth)
{
    struct scan_text key;
    bool begun = false;
    if (depth > DEPTH)
        fail(scan);
    else if (scan_is(scan, '{'))
        while (scan_member(scan, &begun, &key))
            skip(scan, depth + 1);
    else if (scan_is(scan, '['))
        while (scan_element(scan, &begun))
            skip(scan, depth + 1);
    else if (scan_is(scan, '"'))
        scan_string(scan);
    else if (scan_is(scan, '0'))
        scan_integer(scan);
    else
        word_skip(scan);
}

void scan_skip(struct json_scan *scan)
{
    skip(scan, 0);
}

bool scan_is_done(struct json_scan *scan)
{
    blanks_skip(scan);
    return !scan->failed && !*scan->at;
}
