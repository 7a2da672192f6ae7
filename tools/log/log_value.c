/* SPDX-License-Identifier: MIT */
#include "tools/log/log_value.h"

#include "core/text/characters.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>

/* Larger lists have an index, so that a line of millions does not take hours. */
enum { DEPTH = 2048, FEW = 32 };

struct line_parser {
    struct log_line *line;
    char *text, *at;
    size_t size;
    char *decoded; /* where the next text with escapes goes; NULL: there was none */
};

static inline void blanks_skip(struct line_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n')
        p->at++;
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
    value->span = 1;
    value->size = 0;
    value->text = NULL;
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
static bool text_continue(struct line_parser *p, struct log_value *value, char *at)
{
    char *to = NULL, *begin = p->at;
    while (*at != '"') {
        uint32_t code;
        size_t size = swi_utf8_next(at, strnlen(at, 4), &code);
        if (size == 0 || (unsigned char)*at < ' ')
            return false;
        if (*at == '\\') {
            if (!to && !decoded_begin(p))
                return false;
            if (!to)
                to = (char *)memcpy(p->decoded, begin, (size_t)(at - begin)) + (at - begin);
            at = (char *)escape(at + 1, &to);
            if (!at)
                return false;
            continue;
        }
        if (to)
            memcpy(to, at, size);
        to = to ? to + size : NULL;
        at += size;
    }
    p->at = at + 1;
    value->text = to ? p->decoded : begin;
    value->size = (size_t)(to ? to - p->decoded : at - begin);
    *(to ? to : at) = '\0';
    p->decoded = to ? to + 1 : p->decoded;
    return true;
}

/* Behind the first quote. */
static inline bool text_parse(struct line_parser *p)
{
    struct log_value *value = value_add(p, LOG_STRING);
    if (!value)
        return false;
    char *end = ++p->at;
    while ((signed char)*end >= ' ' && *end != '"' && *end != '\\')
        end++;
    if (*end != '"')
        return text_continue(p, value, end);
    value->text = p->at;
    value->size = (size_t)(end - p->at);
    *end = '\0';
    p->at = end + 1;
    return true;
}

/* ---- numbers ---- */

static const char *digits_skip(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

/* `at` is behind the integer part. One that is larger than a double can be is not valid. */
static bool real_parse(struct line_parser *p, struct log_value *value, const char *at)
{
    const char *begin = p->at, *digits;
    bool large = at - begin > 300;
    if (*at == '.') {
        digits = at + 1;
        at = digits_skip(digits);
        if (at == digits)
            return false;
    }
    if (*at == 'e' || *at == 'E') {
        digits = at + 1 + (at[1] == '+' || at[1] == '-');
        at = digits_skip(digits);
        if (at == digits)
            return false;
        large = true;
    }
    value->kind = LOG_REAL;
    value->text = begin;
    value->size = (size_t)(at - begin);
    p->at += value->size;
    return !large || isfinite(strtod(begin, NULL));
}

static inline bool number_parse(struct line_parser *p)
{
    enum { DIGITS = 19 }; /* whose value fits into 64 bits without a sign */
    struct log_value *value = value_add(p, LOG_INTEGER);
    bool negative = *p->at == '-';
    const char *begin = p->at + negative, *at = begin;
    uint64_t whole = 0;
    for (; is_digit(*at); at++)
        whole = 10 * whole + (uint64_t)(*at - '0');
    if (!value || at == begin || (*begin == '0' && at - begin > 1))
        return false;
    if (*at == '.' || *at == 'e' || *at == 'E')
        return real_parse(p, value, at);
    if (at - begin > DIGITS || whole > (uint64_t)INT64_MAX + negative)
        return false;
    value->integer = (int64_t)(negative ? 0 - whole : whole);
    p->at += negative + (at - begin);
    return true;
}

static bool word_parse(struct line_parser *p)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = LOG_NULL; i <= LOG_TRUE; i++) {
        size_t size = strlen(words[i]);
        if (strncmp(p->at, words[i], size) == 0) {
            p->at += size;
            return value_add(p, (enum log_kind)i);
        }
    }
    return false;
}

/* ---- keys ---- */

static bool is_same(const struct log_value *key, const char *text, size_t size)
{
    return key->size == size && memcmp(key->text, text, size) == 0;
}

static int key_order(const struct log_value *key, const char *text, size_t size)
{
    if (key->size != size)
        return key->size < size ? -1 : 1;
    return memcmp(key->text, text, size);
}

static int by_key(const void *a, const void *b, void *object)
{
    const struct log_value *y = (struct log_value *)object + *(const size_t *)b;
    return key_order((struct log_value *)object + *(const size_t *)a, y->text, y->size);
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

/* Two keys with the same bit are rare. */
static bool keys_differ(const struct log_value *object)
{
    uint64_t seen = 0;
    for (const struct log_value *key = log_first_key(object); key;
         key = log_next_key(object, key)) {
        unsigned last = key->size ? (unsigned char)key->text[key->size - 1] : 0;
        uint64_t bit = UINT64_C(1) << ((key->size * 7 + (unsigned char)*key->text * 5 + last) & 63);
        if (seen & bit)
            for (const struct log_value *k = object + 1; k < key; k = log_next_key(object, k))
                if (is_same(k, key->text, key->size))
                    return false;
        seen |= bit;
    }
    return true;
}

/* ---- structure ---- */

static bool value_parse(struct line_parser *p, int depth);

/* Ends a list at its bracket, or goes to its next value. Returns whether there is one. */
static inline bool list_continues(struct line_parser *p, char close, bool *fine)
{
    blanks_skip(p);
    if (*p->at == ',') {
        p->at++;
        return true;
    }
    *fine = *p->at == close;
    p->at += *fine;
    return false;
}

static bool list_end(struct line_parser *p, size_t own, size_t size, bool flat)
{
    struct log_value *list = &p->line->value[own];
    list->size = size;
    list->span = p->line->count - own;
    list->flat = flat;
    if (list->size > FEW && (list->kind == LOG_OBJECT || !flat))
        return places_make(p->line, list);
    return list->kind == LOG_ARRAY || keys_differ(list);
}

static bool member_parse(struct line_parser *p, int depth)
{
    blanks_skip(p);
    if (*p->at != '"' || !text_parse(p))
        return false;
    blanks_skip(p);
    return *p->at++ == ':' && value_parse(p, depth);
}

static bool list_parse(struct line_parser *p, enum log_kind kind, int depth)
{
    bool object = kind == LOG_OBJECT, fine = true, more = true;
    char close = object ? '}' : ']';
    size_t own = p->line->count, size = 0;
    if (depth > DEPTH || !value_add(p, kind))
        return false;
    p->at++;
    blanks_skip(p);
    if (*p->at == close) {
        p->at++;
        return list_end(p, own, 0, true);
    }
    for (; more; size++) {
        if (!(object ? member_parse(p, depth + 1) : value_parse(p, depth + 1)))
            return false;
        more = list_continues(p, close, &fine);
    }
    return fine && list_end(p, own, size, p->line->count - own - 1 == size);
}

static bool value_parse(struct line_parser *p, int depth)
{
    blanks_skip(p);
    switch (*p->at) {
    case '"':
        return text_parse(p);
    case '{':
        return list_parse(p, LOG_OBJECT, depth);
    case '[':
        return list_parse(p, LOG_ARRAY, depth);
    case 'n':
    case 'f':
    case 't':
        return word_parse(p);
    default:
        return number_parse(p);
    }
}

/* ---- a line ---- */

static void places_free(struct log_line *line)
{
    while (line->places)
        free(line->place[--line->places]);
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
    struct line_parser p = {.line = line, .text = text, .at = text, .size = size};
    places_free(line);
    line->count = 0;
    line->failed = false;
    blanks_skip(&p);
    bool fine = (*p.at == '{' || *p.at == '[') && value_parse(&p, 1);
    if (fine)
        blanks_skip(&p);
    if (fine && p.at == text + size)
        return line->value;
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

/* ---- access ---- */

static const struct log_value *sorted_member(const struct log_value *object, const char *text,
                                             size_t size)
{
    for (size_t low = 0, high = object->size; low < high;) {
        size_t middle = low + (high - low) / 2;
        const struct log_value *key = object + object->place[middle];
        int order = key_order(key, text, size);
        if (order == 0)
            return key + 1;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

const struct log_value *log_member(const struct log_value *object, const char *text, size_t size)
{
    if (!log_is(object, LOG_OBJECT))
        return NULL;
    if (object->place)
        return sorted_member(object, text, size);
    const struct log_value *key = object + 1, *end = object + object->span;
    for (; key < end; key += 1 + key[1].span)
        if (is_same(key, text, size))
            return key + 1;
    return NULL;
}

const struct log_value *log_at(const struct log_value *array, size_t index)
{
    if (!log_is(array, LOG_ARRAY) || index >= array->size)
        return NULL;
    if (array->flat || array->place)
        return array + (array->flat ? 1 + index : array->place[index]);
    const struct log_value *value = array + 1;
    while (index-- > 0)
        value += value->span;
    return value;
}

double log_digits(const struct log_value *value, double fallback)
{
    if (log_is(value, LOG_INTEGER))
        return (double)value->integer;
    return log_is(value, LOG_REAL) ? strtod(value->text, NULL) : fallback;
}

double log_number(const struct log_value *value, double fallback)
{
    const char *text = log_text(value);
    if (!text)
        return log_digits(value, fallback);
    if (strcmp(text, "NaN") == 0)
        return NAN;
    if (strcmp(text, "Infinity") == 0)
        return INFINITY;
    return strcmp(text, "-Infinity") == 0 ? -INFINITY : fallback;
}

/* ---- copies ---- */

/* Bytes that a value points to. */
static size_t outside(const struct log_value *value)
{
    if (value->kind == LOG_STRING || value->kind == LOG_REAL)
        return value->size + 1;
    return value->kind >= LOG_ARRAY && value->place ? value->size * sizeof *value->place : 0;
}

struct log_value *log_value_copy(const struct log_value *value)
{
    size_t count = value ? value->span : 0, bytes = 0, alignment = sizeof(size_t) - 1;
    for (size_t i = 0; i < count; i++)
        bytes += (outside(&value[i]) + alignment) & ~alignment;
    struct log_value *copy = count ? malloc(count * sizeof *copy + bytes) : NULL;
    char *to = copy ? (char *)(copy + count) : NULL;
    for (size_t i = 0; copy && i < count; i++) {
        size_t size = outside(&value[i]);
        copy[i] = value[i];
        if (size == 0)
            continue;
        copy[i].text = memcpy(to, value[i].text, size - (copy[i].kind == LOG_REAL));
        if (copy[i].kind == LOG_REAL)
            to[size - 1] = '\0';
        to += (size + alignment) & ~alignment;
    }
    return copy;
}

static json_t *object_json(const struct log_value *object)
{
    json_t *json = json_object();
    for (const struct log_value *key = log_first_key(object); key; key = log_next_key(object, key))
        json_object_set_new(json, key->text, log_value_json(key + 1));
    return json;
}

static json_t *array_json(const struct log_value *array)
{
    json_t *json = json_array();
    for (const struct log_value *value = log_first(array); value; value = log_after(array, value))
        json_array_append_new(json, log_value_json(value));
    return json;
}

json_t *log_value_json(const struct log_value *value)
{
    switch (value ? value->kind : LOG_NULL) {
    case LOG_INTEGER:
        return json_integer(value->integer);
    case LOG_REAL:
        return json_real(log_digits(value, 0));
    case LOG_STRING:
        return json_stringn(value->text, value->size);
    case LOG_ARRAY:
        return array_json(value);
    case LOG_OBJECT:
        return object_json(value);
    case LOG_NULL:
        return json_null();
    default:
        return json_boolean(value->kind == LOG_TRUE);
    }
}
