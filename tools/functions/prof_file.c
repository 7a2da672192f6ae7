/* SPDX-License-Identifier: MIT */
/* Reads files of Python's cProfile. They have the format marshal, of which they use dictionaries,
 * tuples, texts, integers and floats. Its values become those of JSON: a tuple is an array, and a
 * dictionary is {"pairs": [KEY, VALUE, ...]}. */
#include "tools/functions/files.h"

#include <string.h>

enum { DEPTH_MAX = 16 };

struct marshal_reader {
    const unsigned char *at, *end;
    json_t *kept; /* those that may be referred to, by number; null while one is not complete */
    bool failed;
};

static unsigned get(struct marshal_reader *in)
{
    if (in->at >= in->end) {
        in->failed = true;
        return 0;
    }
    return *in->at++;
}

static uint32_t get_u32(struct marshal_reader *in)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)get(in) << 8 * i;
    return value;
}

/* An integer with more than 32 bits is a list of digits of 15 bits. */
static int64_t get_digits(struct marshal_reader *in)
{
    int32_t digits = (int32_t)get_u32(in);
    uint64_t value = 0;
    if (digits > 5 || digits < -5)
        in->failed = true;
    for (int i = 0; i < (digits < 0 ? -digits : digits) && !in->failed; i++) {
        uint64_t digit = get(in);
        digit |= (uint64_t)get(in) << 8;
        in->failed |= digit > (i == 4 ? 7 : 32767);
        value |= digit << 15 * i;
    }
    return digits < 0 ? -(int64_t)value : (int64_t)value;
}

static double get_double(struct marshal_reader *in)
{
    double value;
    uint64_t bits = get_u32(in);
    bits |= (uint64_t)get_u32(in) << 32;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static json_t *get_text(struct marshal_reader *in, size_t size)
{
    const char *text = (const char *)in->at;
    if (in->failed || size > (size_t)(in->end - in->at))
        return NULL;
    in->at += size;
    return json_stringn_nocheck(text, size);
}

/* ---- values: all functions return NULL on failure -------------------------------------------- */

static json_t *get_value(struct marshal_reader *in, int depth);

static json_t *get_tuple(struct marshal_reader *in, uint32_t count, int depth)
{
    json_t *items = json_array();
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        json_t *item = get_value(in, depth + 1);
        in->failed |= json_is_null(item) || json_array_append_new(items, item) != 0;
    }
    return items;
}

static json_t *get_pairs(struct marshal_reader *in, int depth)
{
    json_t *pairs = json_array(), *item = get_value(in, depth + 1);
    for (; !in->failed && !json_is_null(item); item = get_value(in, depth + 1))
        in->failed |= json_array_append_new(pairs, item) != 0;
    in->failed |= json_array_size(pairs) % 2 != 0;
    return json_pack("{s:o}", "pairs", pairs);
}

/* The end of a dictionary is null, which no other value is. */
static json_t *get_content(struct marshal_reader *in, unsigned code, int depth)
{
    switch (code) {
    case '0':
        return json_null();
    case 'i':
        return json_integer((int32_t)get_u32(in));
    case 'l':
        return json_integer(get_digits(in));
    case 'g':
        return json_real(get_double(in));
    case 'u':
    case 'a':
    case 'A':
    case 't':
        return get_text(in, get_u32(in));
    case 'z':
    case 'Z':
        return get_text(in, get(in));
    case '(':
        return get_tuple(in, get_u32(in), depth);
    case ')':
        return get_tuple(in, get(in), depth);
    case '{':
        return get_pairs(in, depth);
    default:
        return NULL;
    }
}

/* A value may be referred to later, by its number among those that say so. */
static json_t *get_value(struct marshal_reader *in, int depth)
{
    unsigned code = get(in);
    size_t number = json_array_size(in->kept);
    bool keeps = code & 0x80;
    in->failed |= depth > DEPTH_MAX;
    if (!in->failed && (code & 0x7f) == 'r') {
        json_t *known = json_array_get(in->kept, get_u32(in));
        in->failed |= !known || json_is_null(known);
        return json_incref(known);
    }
    if (keeps)
        in->failed |= json_array_append_new(in->kept, json_null()) != 0;
    json_t *value = in->failed ? NULL : get_content(in, code & 0x7f, depth);
    in->failed |= !value || (keeps && json_array_set(in->kept, number, value) != 0);
    if (!in->failed)
        return value;
    json_decref(value); /* a part of it was not complete */
    return NULL;
}

/* ---- what the values say --------------------------------------------------------------------- */

static size_t key_take(json_t *key, struct stats *stats)
{
    const char *file, *name;
    json_int_t line;
    if (json_unpack(key, "[s, I, s!]", &file, &line, &name) != 0)
        return SIZE_MAX;
    return stats_function(stats, file, line, name);
}

static bool callers_take(json_t *callers, struct stats *stats, size_t number)
{
    for (size_t i = 0; i < json_array_size(callers); i += 2) {
        json_int_t nc, cc;
        double tt, ct;
        size_t caller = key_take(json_array_get(callers, i), stats);
        if (caller == SIZE_MAX ||
            json_unpack(json_array_get(callers, i + 1), "[I, I, F, F!]", &nc, &cc, &tt, &ct) != 0)
            return false;
        struct edge *edge = stats_edge(stats, number, caller);
        if (!edge)
            return false;
        edge->counts = (struct counts){nc, cc, tt, ct};
    }
    return true;
}

/* Reads the keys first: callers may be named before their own entries, which define the order. */
static bool all_take(const json_t *all, struct stats *stats)
{
    const json_t *pairs = json_object_get(all, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i += 2)
        if (key_take(json_array_get(pairs, i), stats) == SIZE_MAX)
            return false;
    for (size_t i = 0; i < json_array_size(pairs); i += 2) {
        json_int_t nc, cc;
        double tt, ct;
        json_t *callers;
        size_t number = key_take(json_array_get(pairs, i), stats);
        if (json_unpack(json_array_get(pairs, i + 1), "[I, I, F, F, {s:o!}!]", &cc, &nc, &tt, &ct,
                        "pairs", &callers) != 0)
            return false;
        stats->function[number].counts = (struct counts){nc, cc, tt, ct};
        if (!callers_take(callers, stats, number))
            return false;
    }
    return pairs != NULL;
}

int prof_read(const void *data, size_t size, struct stats *stats, struct sw_error *err)
{
    struct marshal_reader in = {
        .at = data, .end = (const unsigned char *)data + size, .kept = json_array()};
    *stats = (struct stats){0};
    json_t *all = get_value(&in, 0);
    bool fine = !in.failed && in.at == in.end && all_take(all, stats);
    json_decref(all);
    json_decref(in.kept);
    if (stats->failed)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for this profile");
    if (!fine)
        return sw_error_set(err, SW_EINVAL,
                            "this is not a function profile: expected a file of stepwatch "
                            "(.functions) or of cProfile (.prof)");
    return 0;
}
