/* SPDX-License-Identifier: MIT */
/* json_scan.h - reads a line of JSON from left to right and keeps nothing of it: several times as
 * fast as making objects of it, for logs of gigabytes. */
#ifndef TOOLS_MERGE_JSON_SCAN_H
#define TOOLS_MERGE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct json_scan {
    const char *at; /* ends with a NUL, which no JSON contains */
    bool failed;    /* it is not JSON, or not what was asked for */
};

/* What is between the quotes, as it is there: with escapes. */
struct scan_text {
    const char *start;
    size_t size;
};

/* text must stay and end with a NUL. */
struct json_scan scan_begin(const char *text);

/* ---- what is rare ---- */

bool scan_is_slow(struct json_scan *scan, char kind);
bool scan_colon(struct json_scan *scan);
bool scan_member_slow(struct json_scan *scan, bool *begun, struct scan_text *key);
struct scan_text scan_string_slow(struct json_scan *scan);
int64_t scan_integer_slow(struct json_scan *scan);

/* ---- inline, as most of a log is that ---- */

/* Whether the next value is of a kind: '{', '[', '"', or '0' for a number. */
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

/* 0 where it is another number, which is read nevertheless. */
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

/* Members of an object, and elements of an array: while (scan_member(scan, &begun, &key)) read its
 * value. begun is false at first. */
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

/* Also the strings NaN, Infinity and -Infinity. */
double scan_number(struct json_scan *scan);
/* Any value. */
void scan_skip(struct json_scan *scan);

/* Whether all of the text was read, and was right. */
bool scan_is_done(struct json_scan *scan);

/* Whether a text is the same as another, without escapes. Inline, so that the length of a constant
 * is one. */
static inline bool scan_equals(const struct scan_text *text, const char *other)
{
    return strlen(other) == text->size && memcmp(text->start, other, text->size) == 0;
}

#endif
