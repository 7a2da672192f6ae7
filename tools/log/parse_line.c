/* SPDX-License-Identifier: MIT */
#include "tools/log/log_value.h"

#include "core/text/characters.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH = 2048 };

/* Each function gets what is at `at`, and returns the end of what it has parsed, or NULL. */
struct line_parser {
    struct log_line *line;
    char *text;
    size_t size;
    char *decoded; /* where the next text with escapes goes; NULL: there was none */
};

static inline char *blanks_skip(char *at)
{
    while ((unsigned char)*at <= ' ' && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds a value, which is valid until the next one. */
static inline struct log_value *value_add(struct line_parser *p, enum log_kind kind)
{
    struct log_line *line = p->line;
    if (line->count == line->room &&
        !swi_vec_grow(&line->value, line->count, &line->room, sizeof *line->value)) {
        line->failed = true;
        return NULL;
    }
    struct log_value *value = &line->value[line->count++];
    value->kind = kind;
    value->type = LINE_NONE;
    value->span = 1;
    value->size = 0;
    value->integer = 0;
    return value;
}

/* ---- texts ---- */

static bool code_unit(const char *at, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

static char *utf8_put(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xff00 >> (more + 1) & 0xff) | code >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

/* Reads what follows \u: one half of a pair alone is none, and neither is a NUL. Returns the end,
 * or NULL. */
static const char *unicode_escape(const char *at, char **to)
{
    uint32_t code, low;
    if (!code_unit(at, &code) || code == 0 || (code >= 0xdc00 && code < 0xe000))
        return NULL;
    at += 4;
    if (code >= 0xd800 && code < 0xe000) {
        if (at[0] != '\\' || at[1] != 'u' || !code_unit(at + 2, &low) || low < 0xdc00 ||
            low >= 0xe000)
            return NULL;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
    }
    *to = utf8_put(*to, code);
    return at;
}

/* Reads what follows a backslash. */
static const char *escape(const char *at, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    if (*at == 'u')
        return unicode_escape(at + 1, to);
    const char *found = *at ? strchr(from, *at) : NULL;
    if (found)
        *(*to)++ = into[found - from];
    return found ? at + 1 : NULL;
}

/* A text is never longer than it is written. */
static bool decoded_begin(struct line_parser *p)
{
    struct log_line *line = p->line;
    if (p->decoded)
        return true;
    if (line->decoded_room <= p->size) {
        free(line->decoded);
        line->decoded_room = p->size + 1;
        line->decoded = malloc(line->decoded_room);
        line->failed = !line->decoded;
        line->decoded_room *= line->decoded != NULL;
    }
    p->decoded = line->decoded;
    return p->decoded;
}

/* Continues at something special, which is copied from the first escape on. */
static char *text_continue(struct line_parser *p, struct log_value *value, char *begin, char *at)
{
    char *to = NULL;
    while (*at != '"') {
        uint32_t code;
        size_t size = swi_utf8_next(at, strnlen(at, 4), &code);
        if (size == 0 || (unsigned char)*at < ' ')
            return NULL;
        if (*at == '\\') {
            if (!to && !decoded_begin(p))
                return NULL;
            if (!to)
                to = (char *)memcpy(p->decoded, begin, (size_t)(at - begin)) + (at - begin);
            at = (char *)escape(at + 1, &to);
            if (!at)
                return NULL;
            continue;
        }
        if (to)
            memcpy(to, at, size);
        to = to ? to + size : NULL;
        at += size;
    }
    value->text = to ? p->decoded : begin;
    value->size = (size_t)(to ? to - p->decoded : at - begin);
    *(to ? to : at) = '\0';
    p->decoded = to ? to + 1 : p->decoded;
    return at + 1;
}

/* Bytes of a text that need no closer look. */
#define ALL_8 1, 1, 1, 1, 1, 1, 1, 1
static const unsigned char unescaped[256] = {
    [' '] = 1, 1,         0, 1, 1, 1, 1, 1, ALL_8, ALL_8, ALL_8, ALL_8, ALL_8,
    ALL_8,     ['X'] = 1, 1, 1, 1, 0, 1, 1, 1,     ALL_8, ALL_8, ALL_8, ALL_8};

static inline char *text_parse(struct line_parser *p, char *at)
{
    struct log_value *value = value_add(p, LOG_STRING);
    char *begin = at + 1, *end = begin;
    if (!value)
        return NULL;
    while (unescaped[(unsigned char)*end])
        end++;
    if (*end != '"')
        return text_continue(p, value, begin, end);
    value->text = begin;
    value->size = (size_t)(end - begin);
    *end = '\0';
    return end + 1;
}

/* ---- numbers ---- */

static char *digits_skip(char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

/* `at` is behind the integer part. One that is larger than a double can be is not valid. */
static char *real_parse(struct log_value *value, char *begin, char *at)
{
    char *digits;
    bool large = at - begin > 300;
    if (*at == '.') {
        digits = at + 1;
        at = digits_skip(digits);
        if (at == digits)
            return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        digits = at + 1 + (at[1] == '+' || at[1] == '-');
        at = digits_skip(digits);
        if (at == digits)
            return NULL;
        large = true;
    }
    value->kind = LOG_REAL;
    value->text = begin;
    value->size = (size_t)(at - begin);
    return !large || isfinite(strtod(begin, NULL)) ? at : NULL;
}

static inline char *number_parse(struct line_parser *p, char *at)
{
    enum { DIGITS = 19 }; /* whose value fits into 64 bits without a sign */
    struct log_value *value = value_add(p, LOG_INTEGER);
    bool negative = *at == '-';
    char *begin = at + negative, *end = begin;
    uint64_t whole = 0;
    for (; is_digit(*end); end++)
        whole = 10 * whole + (uint64_t)(*end - '0');
    if (!value || end == begin || (*begin == '0' && end - begin > 1))
        return NULL;
    if (*end == '.' || *end == 'e' || *end == 'E')
        return real_parse(value, at, end);
    if (end - begin > DIGITS || whole > (uint64_t)INT64_MAX + negative)
        return NULL;
    value->integer = (int64_t)(negative ? 0 - whole : whole);
    return end;
}

static char *word_parse(struct line_parser *p, char *at)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = LOG_NULL; i <= LOG_TRUE; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return value_add(p, (enum log_kind)i) ? at + strlen(words[i]) : NULL;
    return NULL;
}

/* ---- keys ---- */

static int by_key(const void *a, const void *b, void *object)
{
    const struct log_value *y = (struct log_value *)object + *(const size_t *)b;
    return log_key_order((struct log_value *)object + *(const size_t *)a, y->text, y->size);
}

/* Makes the index of a list. Returns false if out of memory, or if a key is given twice. */
static bool places_make(struct log_line *line, struct log_value *list)
{
    bool object = list->kind == LOG_OBJECT;
    size_t count = 0, *place = malloc(list->size * sizeof *place);
    if (!place || !swi_vec_grow(&line->place, line->places, &line->place_room, sizeof place)) {
        free(place);
        line->failed = true;
        return false;
    }
    line->place[line->places++] = place;
    for (const struct log_value *at = list + 1; at; at = log_after(list, object ? at + 1 : at))
        place[count++] = (size_t)(at - list);
    if (object)
        qsort_r(place, count, sizeof *place, by_key, list);
    list->place = place;
    for (size_t i = 1; object && i < count; i++)
        if (by_key(&place[i - 1], &place[i], list) == 0)
            return false;
    return true;
}

/* Sets the marks of the keys. Returns false if a key is given twice. */
static bool keys_mark(struct log_value *object)
{
    struct log_value *key = object + 1, *end = object + object->span;
    for (; key < end; key += 1 + key[1].span) {
        key->mark = log_key_mark(key->text, key->size);
        uint64_t bit = UINT64_C(1) << key->mark;
        for (const struct log_value *k = object + 1; object->marks & bit && k < key;
             k += 1 + k[1].span)
            if (k->mark == key->mark && log_key_order(k, key->text, key->size) == 0)
                return false;
        object->marks |= bit;
    }
    return true;
}

/* ---- structure ---- */

static char *value_parse(struct line_parser *p, char *at, int depth);

static bool list_end(struct line_parser *p, size_t own, size_t size)
{
    struct log_value *list = &p->line->value[own];
    list->size = size;
    list->span = p->line->count - own;
    list->flat = list->kind == LOG_ARRAY && list->span == size + 1;
    if (log_has_places(list))
        return places_make(p->line, list);
    return list->kind == LOG_ARRAY || keys_mark(list);
}

static inline char *key_parse(struct line_parser *p, char *at)
{
    at = blanks_skip(at);
    at = *at == '"' ? text_parse(p, at) : NULL;
    at = at ? blanks_skip(at) : NULL;
    return at && *at == ':' ? at + 1 : NULL;
}

static char *list_parse(struct line_parser *p, char *at, int depth)
{
    bool object = *at == '{';
    char close = object ? '}' : ']';
    size_t own = p->line->count, size = 0;
    if (depth > DEPTH || !value_add(p, object ? LOG_OBJECT : LOG_ARRAY))
        return NULL;
    at = blanks_skip(at + 1);
    while (size > 0 || *at != close) {
        at = object ? key_parse(p, at) : at;
        at = at ? value_parse(p, at, depth + 1) : NULL;
        if (!at)
            return NULL;
        size++;
        at = blanks_skip(at);
        if (*at != ',')
            break;
        at++;
    }
    return *at == close && list_end(p, own, size) ? at + 1 : NULL;
}

static char *value_parse(struct line_parser *p, char *at, int depth)
{
    at = blanks_skip(at);
    switch (*at) {
    case '"':
        return text_parse(p, at);
    case '{':
    case '[':
        return list_parse(p, at, depth);
    case 'n':
    case 'f':
    case 't':
        return word_parse(p, at);
    default:
        return number_parse(p, at);
    }
}

/* ---- a line ---- */

static void places_free(struct log_line *line)
{
    while (line->places)
        free(line->place[--line->places]);
}

#define LINE_TYPE_NAME(type, name) [LINE_##type] = {name, sizeof name - 1},
static enum line_type type_of(const struct log_value *name)
{
    static const struct {
        const char *name;
        size_t size;
    } types[LINE_TYPES] = {LINE_TYPES_EACH(LINE_TYPE_NAME)};
    if (!log_is(name, LOG_STRING))
        return LINE_NONE;
    for (int i = LINE_OTHER + 1; i < LINE_TYPES; i++)
        if (log_key_order(name, types[i].name, types[i].size) == 0)
            return (enum line_type)i;
    return LINE_OTHER;
}

/* Puts the quotes back. */
static void text_restore(const struct line_parser *p)
{
    const struct log_line *line = p->line;
    for (size_t i = 0; i < line->count; i++) {
        const struct log_value *value = &line->value[i];
        size_t place = value->kind == LOG_STRING && value->text
                           ? (size_t)((uintptr_t)value->text - (uintptr_t)p->text)
                           : SIZE_MAX;
        if (place < p->size)
            p->text[place + value->size] = '"';
    }
}

const struct log_value *log_line_parse(struct log_line *line, char *text, size_t size)
{
    struct line_parser p = {.line = line, .text = text, .size = size};
    places_free(line);
    line->count = 0;
    line->failed = false;
    char *at = blanks_skip(text);
    at = *at == '{' || *at == '[' ? list_parse(&p, at, 1) : NULL;
    if (at && blanks_skip(at) == text + size) {
        line->value->type = (unsigned char)type_of(log_get(line->value, "type"));
        return line->value;
    }
    text_restore(&p);
    return NULL;
}

void log_line_free(struct log_line *line)
{
    places_free(line);
    free(line->place);
    free(line->value);
    free(line->decoded);
    *line = (struct log_line){0};
}
