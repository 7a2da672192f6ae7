/* SPDX-License-Identifier: MIT */
#include "core/text/escape.h"

#include "core/text/characters.h"
#include "core/text/exact_number.h"
#include "core/text/printable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void swi_escape_none(struct swi_text *text, const char *string)
{
    swi_text_put(text, string);
}

/* A character of a string. length 0: the byte there is not UTF-8. */
struct character {
    const char *string;
    const char *at;
    size_t length;
    uint32_t code;
};

typedef void add_fn(struct swi_text *text, const struct character *c);

/* Returns the length of the text that only markdown needs to escape, which is most of every text.
 */
static size_t plain_length(const char *at)
{
    size_t length = 0;
    while (at[length] >= ' ' && at[length] < 0x7f && at[length] != '"' && at[length] != '\\')
        length++;
    return length;
}

static inline uint64_t word_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Returns all bytes of a text of less than eight: in any order, some several times, and plain ones
 * beside them. */
static inline uint64_t few(const char *text, size_t size)
{
    uint32_t begin, end;
    if (size < 4) {
        uint64_t spaces = UINT64_C(0x2020202020000000);
        const unsigned char *at = (const unsigned char *)text;
        return size ? spaces | at[0] << 16 | at[size / 2] << 8 | at[size - 1] : spaces | 0x202020;
    }
    memcpy(&begin, text, sizeof begin);
    memcpy(&end, text + size - sizeof end, sizeof end);
    return (uint64_t)begin << 32 | end;
}

/* Copies less than eight bytes. */
static inline void few_copy(char *to, const char *text, size_t size)
{
    if (size >= 4) {
        memmove(to, text, 4);
        memmove(to + size - 4, text + size - 4, 4);
    } else if (size) {
        to[0] = text[0];
        to[size / 2] = text[size / 2];
        to[size - 1] = text[size - 1];
    }
}

/* Sets the highest bit of a byte that is not plain. A byte from 0x80 on has it anyway; of the
 * others, each term sets it for one kind. A carry can only come from a byte that is not plain
 * itself. */
static inline uint64_t not_plain(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t control = word - 0x20 * ones, del = word + ones;
    uint64_t quote = (word ^ '"' * ones) - ones, backslash = (word ^ '\\' * ones) - ones;
    return (word | control | del | quote | backslash) & 0x80 * ones;
}

bool swi_text_is_plain(const char *text, size_t size)
{
    uint64_t found = 0;
    if (size < 8)
        return !not_plain(few(text, size));
    for (size_t i = 0; i + 8 < size; i += 8)
        found |= not_plain(word_at(text + i));
    return !(found | not_plain(word_at(text + size - 8)));
}

/* Copies a text. Returns whether it is plain: one look at each byte for both, and no call. */
static inline bool plain_copy(char *to, const char *text, size_t size)
{
    uint64_t found = 0;
    if (size < 8) {
        few_copy(to, text, size);
        return !not_plain(few(text, size));
    }
    for (size_t i = 0; i + 8 < size; i += 8) {
        uint64_t word = word_at(text + i);
        memcpy(to + i, &word, sizeof word);
        found |= not_plain(word);
    }
    uint64_t end = word_at(text + size - 8);
    memcpy(to + size - 8, &end, sizeof end);
    return !(found | not_plain(end));
}

/* as_is: plain text is added at once instead of character by character. */
static void each(struct swi_text *text, const char *string, add_fn *add, bool as_is)
{
    struct character c = {.string = string, .at = string};
    size_t left = strlen(string);
    while (left) {
        size_t plain = as_is ? plain_length(c.at) : 0;
        swi_text_add(text, c.at, plain);
        c.at += plain;
        left -= plain;
        if (!left)
            return;
        c.length = swi_utf8_next(c.at, left, &c.code);
        c.code = c.length ? c.code : 0;
        add(text, &c);
        size_t length = c.length ? c.length : 1;
        c.at += length;
        left -= length;
    }
}

static void printable_add(struct swi_text *text, const struct character *c)
{
    char shown[SWI_CHARACTER_SHOWN];
    swi_printable_character(shown, c->at, c->length ? c->length : 1);
    swi_text_put(text, shown);
}

static void terminal_add(struct swi_text *text, const struct character *c)
{
    if (c->length && !swi_character_is_unsafe(c->code))
        swi_text_add(text, c->at, c->length);
    else
        printable_add(text, c);
}

void swi_escape_terminal(struct swi_text *text, const char *string)
{
    each(text, string, terminal_add, true);
}

static void csv_add(struct swi_text *text, const struct character *c)
{
    if (!c->length)
        printable_add(text, c);
    else if (c->code == '"')
        swi_text_put(text, "\"\"");
    else
        swi_text_add(text, c->at, c->length);
}

/* Writes a cell for a file or for a program. */
static void csv_cell(struct swi_text *text, const char *string, add_fn *add)
{
    bool formula = *string && strchr("=+-@\t\r", *string);
    bool quoted = string[strcspn(string, ",\"\r\n")] != '\0';
    swi_text_put(text, quoted ? "\"" : "");
    swi_text_put(text, formula ? "'" : "");
    each(text, string, add, true);
    swi_text_put(text, quoted ? "\"" : "");
}

void swi_escape_csv(struct swi_text *text, const char *string)
{
    csv_cell(text, string, csv_add);
}

static void csv_terminal_add(struct swi_text *text, const struct character *c)
{
    if (c->length && c->code == '"')
        swi_text_put(text, "\"\"");
    else
        terminal_add(text, c);
}

void swi_escape_csv_terminal(struct swi_text *text, const char *string)
{
    csv_cell(text, string, csv_terminal_add);
}

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* An underscore within a word is not markup: opt_step stays readable in the source. */
static bool is_within_word(const struct character *c)
{
    return c->at > c->string && is_alphanumeric(c->at[-1]) && is_alphanumeric(c->at[1]);
}

/* Returns the replacement of an ASCII character that would be markup, or NULL. < > & are written by
 * name, for renderers that pass HTML through. */
static const char *markdown_name(const struct character *c)
{
    static const char *const name[128] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['\\'] = "\\\\",
        ['`'] = "\\`",  ['*'] = "\\*",  ['_'] = "\\_",   ['['] = "\\[",
        [']'] = "\\]",  ['#'] = "\\#",  ['|'] = "\\|",   ['~'] = "\\~",
    };
    if (c->length != 1 || (c->code == '_' && is_within_word(c)))
        return NULL;
    return name[c->code];
}

static void markdown_add(struct swi_text *text, const struct character *c)
{
    const char *name = markdown_name(c);
    if (name)
        swi_text_put(text, name);
    else {
        if (!c->length || swi_character_is_unsafe(c->code))
            swi_text_put(text, "\\");
        terminal_add(text, c);
    }
}

void swi_escape_markdown(struct swi_text *text, const char *string)
{
    each(text, string, markdown_add, false);
}

void swi_escape_frame(struct swi_text *text, const char *frame, size_t size)
{
    for (size_t length; size; frame += length, size -= length) {
        uint32_t code = 0;
        length = swi_utf8_next(frame, size, &code);
        bool fine = length && code != ' ' && code != ';' && !swi_character_is_unsafe(code);
        length = length ? length : 1;
        if (fine)
            swi_text_add(text, frame, length);
        else
            swi_text_fill(text, '_', length);
    }
}

static void json_add(struct swi_text *text, const struct character *c)
{
    if (!c->length) {
        swi_text_put(text, "\\");
        printable_add(text, c);
    } else if (c->code == '"' || c->code == '\\')
        swi_text_put(text, c->code == '"' ? "\\\"" : "\\\\");
    else if (!swi_character_is_unsafe(c->code))
        swi_text_add(text, c->at, c->length);
    else if (c->code < 0x10000)
        swi_text_format(text, "\\u%04x", (unsigned)c->code);
    else
        swi_text_format(text, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c->code >> 10)),
                        (unsigned)(0xdc00 + (c->code & 0x3ff)));
}

void swi_escape_json(struct swi_text *text, const char *string)
{
    size_t size = strlen(string);
    if (text->capacity - text->size <= size + 2 && !swi_text_reserve(text, size + 2))
        return;
    text->data[text->size++] = '"';
    if (plain_copy(text->data + text->size, string, size))
        text->size += size;
    else
        each(text, string, json_add, true);
    swi_text_add(text, "\"", 1);
}

static void html_add(struct swi_text *text, const struct character *c)
{
    if (c->length == 1 && c->code && strchr("&<>\"'`", (int)c->code))
        swi_text_format(text, "&#%u;", (unsigned)c->code);
    else
        terminal_add(text, c);
}

void swi_escape_html(struct swi_text *text, const char *string)
{
    each(text, string, html_add, false);
}

/* ---- formats --------------------------------------------------------------------------------- */

/* One conversion, such as %.3f, %lld or %zu. */
struct conversion {
    bool raw;      /* %.* */
    int precision; /* -1: none */
    char length;   /* l, L for ll, z or j; 0: none */
    char kind;
};

/* Returns what follows it. */
static const char *conversion_read(struct conversion *c, const char *at)
{
    *c = (struct conversion){.precision = -1};
    if (at[0] == '.' && (c->raw = at[1] == '*')) {
        at += 2;
    } else if (at[0] == '.') {
        char *end;
        c->precision = (int)strtol(at + 1, &end, 10);
        at = end;
    }
    if (strchr("lzj", *at))
        c->length = *at++;
    if (c->length == 'l' && *at == 'l') {
        c->length = 'L';
        at++;
    }
    c->kind = *at;
    return at + 1;
}

static void integer_add(struct swi_text *text, const struct conversion *c, va_list *args)
{
    int64_t value = c->length == 'L'   ? va_arg(*args, long long)
                    : c->length == 'l' ? va_arg(*args, long)
                    : c->length == 'z' ? (int64_t)va_arg(*args, size_t)
                    : c->length == 'j' ? va_arg(*args, intmax_t)
                                       : va_arg(*args, int);
    if (c->kind == 'd')
        swi_text_integer(text, value);
    else
        swi_text_format(text, "%" PRIu64, c->length ? (uint64_t)value : (unsigned)value);
}

static void number_add(struct swi_text *text, const struct conversion *c, double value)
{
    if (c->precision < 0)
        swi_number_json(text, value);
    else if (c->kind == 'f')
        swi_text_format(text, "%.*f", c->precision, value);
    else
        swi_text_format(text, "%.*g", c->precision, value);
}

static void conversion_add(struct swi_text *text, swi_escape_fn *escape, const struct conversion *c,
                           va_list *args)
{
    int size = c->raw ? va_arg(*args, int) : 0;
    if (c->raw)
        swi_text_add(text, va_arg(*args, const char *), (size_t)size);
    else if (c->kind == 's')
        escape(text, va_arg(*args, const char *));
    else if (c->kind == 'f' || c->kind == 'g')
        number_add(text, c, va_arg(*args, double));
    else if (c->kind == '%')
        swi_text_put(text, "%");
    else
        integer_add(text, c, args);
}

void swi_escape_vformat(struct swi_text *text, swi_escape_fn *escape, const char *format,
                        va_list args)
{
    struct conversion conversion;
    va_list rest;
    va_copy(rest, args);
    while (*format) {
        size_t plain = strcspn(format, "%");
        swi_text_add(text, format, plain);
        format += plain;
        if (!*format)
            break;
        format = conversion_read(&conversion, format + 1);
        conversion_add(text, escape, &conversion, &rest);
    }
    va_end(rest);
}

void swi_escape_format(struct swi_text *text, swi_escape_fn *escape, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    swi_escape_vformat(text, escape, format, args);
    va_end(args);
}

void swi_json_format(struct swi_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    swi_escape_vformat(text, swi_escape_json, format, args);
    va_end(args);
}
