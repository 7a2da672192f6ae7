/* SPDX-License-Identifier: MIT */
/* json_scan.h - reads a line of JSON from left to right without keeping anything. For logs of
 * gigabytes, this is several times as fast as making objects. */
#ifndef TOOLS_LOG_JSON_SCAN_H
#define TOOLS_LOG_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct json_scan {
    const char *at; /* terminated by a NUL, which JSON cannot contain */
    bool failed;    /* it is not JSON, or not what was expected */
};

/* The text between the quotes, with its escapes. */
struct scan_text {
    const char *start;
    size_t size;
};

/* text must stay valid and be terminated by a NUL. */
struct json_scan scan_begin(const char *text);

/* ---- what is rare ---- */

bool scan_is_slow(struct json_scan *scan, char kind);
bool scan_colon(struct json_scan *scan);
bool scan_member_slow(struct json_scan *scan, bool *begun, struct scan_text *key);
struct scan_text scan_string_slow(struct json_scan *scan);
int64_t scan_integer_slow(struct json_scan *scan);

/* ---- inline, as most of a log is that ---- */

/* Returns whether the next value is of a kind: '{', '[', '"', or '0' for a number. */
static inline bool scan_is(struct json_scan *scan, char kind)
{
    bool digit = kind == '0' && *scan->at >= '0' && *scan->at <= '9';
    return digit || *scan->at == kind || scan_is_slow(scan, kind);
}

static inline struct scan_text scan_string(struct json_scan *scan)
{
    const char *end = scan->at;
    if (*end++ == '"')
        while ((signed char)*end >= ' ' && *end != '"' && *end != '\\')
            end++;
    if (end == scan->at + 1 || *end != '"')
        return scan_string_slow(scan);
    struct scan_text text = {scan->at + 1, (size_t)(end - scan->at) - 1};
    scan->at = end + 1;
    return text;
}

/* Returns 0 for a number that is not an integer, which is read too. */
static inline int64_t scan_integer(struct json_scan *scan)
{
    enum { DIGITS = 18 };
    const char *end = scan->at;
    int64_t value = 0;
    while (*end >= '0' && *end <= '9' && end < scan->at + DIGITS)
        value = 10 * value + (*end++ - '0');
    bool whole = (*end == ',' || *end == '}' || *end == ']') &&
                 (*scan->at > '0' || end == scan->at + 1) && end > scan->at;
    if (!whole)
        return scan_integer_slow(scan);
    scan->at = end;
    return value;
}

/* Read the members of an object and the elements of an array: while (scan_member(scan, &begun,
 * &key)), read its value. begun must be false at first. */
static inline bool scan_member(struct json_scan *scan, bool *begun, struct scan_text *key)
{
    if (!*begun || scan->at[0] != ',' || scan->at[1] != '"' || scan->failed)
        return scan_member_slow(scan, begun, key);
    scan->at++;
    *key = scan_string(scan);
    if (*scan->at == ':' && !scan->failed) {
        scan->at++;
        return true;
    }
    return scan_colon(scan);
}

bool scan_element(struct json_scan *scan, bool *begun);

/* Accepts the strings NaN, Infinity and -Infinity too. */
double scan_number(struct json_scan *scan);
/* Skips any value. */
void scan_skip(struct json_scan *scan);

/* Returns whether the whole text was read and was valid. */
bool scan_is_done(struct json_scan *scan);

/* Returns whether a text equals another one without escapes. It is inline, so that the length of a
 * constant is constant too. */
static inline bool scan_equals(const struct scan_text *text, const char *other)
{
    return strlen(other) == text->size && memcmp(text->start, other, text->size) == 0;
}

#endif
