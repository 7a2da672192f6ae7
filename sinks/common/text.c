/* SPDX-License-Identifier: MIT */
#include "sinks/common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_grow(struct text *text, size_t more)
{
    size_t room = text->room ? text->room : 256;
    while (room < text->size + more + 1)
        room *= 2;
    if (room == text->room)
        return true;
    char *at = realloc(text->at, room);
    text->failed |= !at;
    if (!at)
        return false;
    text->at = at;
    text->room = room;
    return true;
}

void text_add_n(struct text *text, const char *bytes, size_t size)
{
    if (!text_grow(text, size))
        return;
    memcpy(text->at + text->size, bytes, size);
    text->size += size;
    text->at[text->size] = '\0';
}

void text_add(struct text *text, const char *string)
{
    text_add_n(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || !text_grow(text, (size_t)n))
        return;
    va_start(args, format);
    vsnprintf(text->at + text->size, (size_t)n + 1, format, args);
    va_end(args);
    text->size += (size_t)n;
}

void text_fini(struct text *text)
{
    free(text->at);
    *text = (struct text){0};
}

/* ---- UTF-8 (RFC 3629) ---------------------------------------------------------------------------
 */

static size_t utf8_length(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

size_t text_utf8(const char *at, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = size ? utf8_length((unsigned char)at[0]) : 0;
    if (n == 0 || n > size)
        return 0;
    *code = n == 1 ? (unsigned char)at[0] : (unsigned char)at[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | ((unsigned char)at[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

size_t text_width(const char *string)
{
    size_t width = 0, left = strlen(string);
    while (left) {
        uint32_t code;
        size_t n = text_utf8(string, left, &code);
        n = n ? n : 1;
        string += n;
        left -= n;
        width++;
    }
    return width;
}

/* Marks that turn the direction of what follows (Unicode UAX #9), and other invisible line
 * breakers. */
static bool is_tricky(uint32_t code)
{
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x2028 || code == 0x2029 || code == 0xfeff;
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Calls `put` for every character; what is no UTF-8 comes as a single byte with code UINT32_MAX. */
static void each(struct text *text, const char *string,
                 void (*put)(struct text *, uint32_t code, const char *at, size_t n))
{
    size_t left = strlen(string);
    while (left) {
        uint32_t code;
        size_t n = text_utf8(string, left, &code);
        put(text, n ? code : UINT32_MAX, string, n ? n : 1);
        n = n ? n : 1;
        string += n;
        left -= n;
    }
}

static void put_safe(struct text *text, uint32_t code, const char *at, size_t n)
{
    if (code == UINT32_MAX || is_control(code))
        text_addf(text, "\\x%02x", code == UINT32_MAX ? (unsigned char)*at : (unsigned)code);
    else if (is_tricky(code))
        text_addf(text, "\\u{%x}", (unsigned)code);
    else
        text_add_n(text, at, n);
}

void text_terminal(struct text *text, const char *string)
{
    each(text, string, put_safe);
}

/* ---- CSV ----------------------------------------------------------------------------------------
 */

static void put_csv(struct text *text, uint32_t code, const char *at, size_t n)
{
    if (code == '"')
        text_add(text, "\"\"");
    else if (code == UINT32_MAX)
        text_add(text, "\xef\xbf\xbd");
    else
        text_add_n(text, at, n);
}

void text_csv(struct text *text, const char *string, bool name)
{
    bool formula = name && *string && strchr("=+-@\t\r", *string) && string[1];
    bool quoted = strpbrk(string, ",\"\r\n") != NULL;
    if (quoted)
        text_add(text, "\"");
    if (formula)
        text_add(text, "'");
    each(text, string, put_csv);
    if (quoted)
        text_add(text, "\"");
}

/* ---- markdown -----------------------------------------------------------------------------------
 */

static void put_markdown(struct text *text, uint32_t code, const char *at, size_t n)
{
    if (code < 0x80 && strchr("\\`*[]<>&#|", (int)code) && code)
        text_addf(text, "\\%c", (char)code);
    else if (code == '\n' || code == '\r' || code == '\t')
        text_add(text, " ");
    else
        put_safe(text, code, at, n);
}

/* An underscore within a word is no markup (CommonMark 6.2), so opt_step needs none. */
static bool is_edge_underscore(const char *string, const char *at)
{
    return at == string || !at[1] || at[-1] == ' ' || at[1] == ' ';
}

void text_markdown(struct text *text, const char *string)
{
    for (const char *at = string, *next; *at; at = next) {
        uint32_t code;
        size_t n = text_utf8(at, strlen(at), &code);
        next = at + (n ? n : 1);
        if (*at == '_' && is_edge_underscore(string, at))
            text_add(text, "\\_");
        else
            put_markdown(text, n ? code : UINT32_MAX, at, n ? n : 1);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------
 */

static void put_json(struct text *text, uint32_t code, const char *at, size_t n)
{
    if (code == '"' || code == '\\')
        text_addf(text, "\\%c", (char)code);
    else if (code == UINT32_MAX)
        text_add(text, "\\ufffd");
    else if (is_control(code) || code == 0x2028 || code == 0x2029)
        text_addf(text, "\\u%04x", (unsigned)code);
    else
        text_add_n(text, at, n);
}

void text_json(struct text *text, const char *string)
{
    text_add(text, "\"");
    each(text, string, put_json);
    text_add(text, "\"");
}
