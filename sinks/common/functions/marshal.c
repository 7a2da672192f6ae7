/* SPDX-License-Identifier: MIT */
/* A subset of Python's marshal format: dictionaries, tuples, texts, integers and floats. Version 2
 * is written; version 4 can be read as well. */
#include "sinks/common/functions/stats.h"

#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_u32(FILE *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        putc((int)(value >> 8 * i & 255), out);
}

/* An integer with more than 32 bits is a list of digits of 15 bits. */
static void put_int(FILE *out, int64_t value)
{
    if (value >= INT32_MIN && value <= INT32_MAX) {
        putc('i', out);
        put_u32(out, (uint32_t)(int32_t)value);
        return;
    }
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int digits = 0;
    for (uint64_t left = rest; left; left >>= 15)
        digits++;
    putc('l', out);
    put_u32(out, (uint32_t)(value < 0 ? -digits : digits));
    for (; rest; rest >>= 15) {
        putc((int)(rest & 255), out);
        putc((int)(rest >> 8 & 127), out);
    }
}

static void put_double(FILE *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    putc('g', out);
    put_u32(out, (uint32_t)bits);
    put_u32(out, (uint32_t)(bits >> 32));
}

/* Invalid UTF-8 would make the whole file unreadable. */
static void put_text(FILE *out, const char *text)
{
    size_t size = strlen(text);
    putc('u', out);
    put_u32(out, (uint32_t)size);
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        size_t more = c < 0x80                ? 0
                      : c >= 0xc2 && c < 0xe0 ? 1
                      : c >= 0xe0 && c < 0xf0 ? 2
                      : c >= 0xf0 && c < 0xf5 ? 3
                                              : 9;
        bool fine = more < 9 && i + more < size + (more == 0);
        for (size_t k = 1; fine && k <= more; k++)
            fine = ((unsigned char)text[i + k] & 0xc0) == 0x80;
        if (!fine) {
            putc('?', out);
            i++;
            continue;
        }
        fwrite(text + i, 1, more + 1, out);
        i += more + 1;
    }
}

static void put_tuple(FILE *out, uint32_t size)
{
    putc('(', out);
    put_u32(out, size);
}

static void put_key(FILE *out, const struct function *function)
{
    put_tuple(out, 3);
    put_text(out, function->file);
    put_int(out, function->line);
    put_text(out, function->name);
}

/* The two orders of counts are those of cProfile. */
static void put_callers(FILE *out, const struct stats *stats, const struct function *function)
{
    putc('{', out);
    for (size_t i = 0; i < function->caller_count; i++) {
        const struct counts *counts = &function->callers[i].counts;
        put_key(out, &stats->function[function->callers[i].caller]);
        put_tuple(out, 4);
        put_int(out, counts->nc);
        put_int(out, counts->cc);
        put_double(out, counts->tt);
        put_double(out, counts->ct);
    }
    putc('0', out);
}

void marshal_write(FILE *out, const struct stats *stats)
{
    putc('{', out);
    for (size_t i = 0; i < stats->count; i++) {
        const struct function *function = &stats->function[i];
        put_key(out, function);
        put_tuple(out, 5);
        put_int(out, function->counts.cc);
        put_int(out, function->counts.nc);
        put_double(out, function->counts.tt);
        put_double(out, function->counts.ct);
        put_callers(out, stats, function);
    }
    putc('0', out);
}

/* ---- reading ----
 *
 * A value may be referred to later, by its number among those that say so: so all of them are kept.
 */

enum { DEPTH_MAX = 16 };

struct marshal_value {
    enum { NOTHING, INTEGER, NUMBER, TEXT, TUPLE, DICTIONARY, END } type;
    int64_t integer;
    double number;
    char *text;
    struct marshal_value **item; /* for a dictionary: keys and values in turn */
    size_t count;
    struct marshal_value *next; /* in the list of all */
};

struct marshal_reader {
    const unsigned char *at, *end;
    struct marshal_value *all;
    struct marshal_value **kept;
    size_t kept_count;
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

static char *get_text(struct marshal_reader *in, size_t size)
{
    if (in->failed || size > (size_t)(in->end - in->at)) {
        in->failed = true;
        return NULL;
    }
    char *text = strndup((const char *)in->at, size);
    in->at += size;
    in->failed |= !text;
    return text;
}

static struct marshal_value *value_new(struct marshal_reader *in)
{
    struct marshal_value *value = calloc(1, sizeof *value);
    if (!value) {
        in->failed = true;
        return NULL;
    }
    value->next = in->all;
    in->all = value;
    return value;
}

static void value_keep(struct marshal_reader *in, struct marshal_value *value)
{
    if (swi_vec_room(&in->kept, in->kept_count, sizeof(*in->kept)))
        in->kept[in->kept_count++] = value;
    else
        in->failed = true;
}

static bool item_add(struct marshal_value *value, struct marshal_value *item)
{
    if (!swi_vec_room(&value->item, value->count, sizeof(*value->item)))
        return false;
    value->item[value->count++] = item;
    return true;
}

static struct marshal_value *get_value(struct marshal_reader *in, int depth);

static void get_items(struct marshal_reader *in, struct marshal_value *value, uint32_t count,
                      int depth)
{
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct marshal_value *item = get_value(in, depth + 1);
        in->failed |= !item || item->type == END || !item_add(value, item);
    }
}

static void get_pairs(struct marshal_reader *in, struct marshal_value *value, int depth)
{
    while (!in->failed) {
        struct marshal_value *item = get_value(in, depth + 1);
        if (!item || (item->type == END && value->count % 2 == 0))
            return;
        in->failed |= item->type == END || !item_add(value, item);
    }
}

static void get_content(struct marshal_reader *in, struct marshal_value *value, unsigned code,
                        int depth)
{
    if (code == '0') {
        value->type = END;
    } else if (code == 'i' || code == 'l') {
        value->type = INTEGER;
        value->integer = code == 'i' ? (int32_t)get_u32(in) : get_digits(in);
    } else if (code == 'g') {
        value->type = NUMBER;
        value->number = get_double(in);
    } else if (code == 'u' || code == 'a' || code == 'A' || code == 't') {
        value->type = TEXT;
        value->text = get_text(in, get_u32(in));
    } else if (code == 'z' || code == 'Z') {
        value->type = TEXT;
        value->text = get_text(in, get(in));
    } else if (code == '(' || code == ')') {
        value->type = TUPLE;
        get_items(in, value, code == '(' ? get_u32(in) : get(in), depth);
    } else if (code == '{') {
        value->type = DICTIONARY;
        get_pairs(in, value, depth);
    } else {
        in->failed = true;
    }
}

/* Returns NULL on failure. */
static struct marshal_value *get_value(struct marshal_reader *in, int depth)
{
    unsigned code = get(in);
    if (in->failed || depth > DEPTH_MAX) {
        in->failed = true;
        return NULL;
    }
    if ((code & 0x7f) == 'r') {
        uint32_t number = get_u32(in);
        in->failed |= number >= in->kept_count;
        return in->failed ? NULL : in->kept[number];
    }
    struct marshal_value *value = value_new(in);
    if (value && (code & 0x80))
        value_keep(in, value);
    if (value && !in->failed)
        get_content(in, value, code & 0x7f, depth);
    return in->failed ? NULL : value;
}

static void values_free(struct marshal_reader *in)
{
    for (struct marshal_value *value = in->all, *next; value; value = next) {
        next = value->next;
        free(value->text);
        free(value->item);
        free(value);
    }
    free(in->kept);
}

/* ---- what the values say ---- */

static bool is_types(const struct marshal_value *tuple, const char *types)
{
    if (tuple->type != TUPLE || tuple->count != strlen(types))
        return false;
    for (size_t i = 0; i < tuple->count; i++) {
        int type = tuple->item[i]->type;
        bool fine = types[i] == 's'   ? type == TEXT
                    : types[i] == 'i' ? type == INTEGER
                    : types[i] == 'g' ? type == NUMBER || type == INTEGER
                                      : type == DICTIONARY;
        if (!fine)
            return false;
    }
    return true;
}

static double number_of(const struct marshal_value *value)
{
    return value->type == NUMBER ? value->number : (double)value->integer;
}

static size_t key_take(const struct marshal_value *key, struct stats *stats)
{
    if (!is_types(key, "sis"))
        return SIZE_MAX;
    return stats_function(stats, key->item[0]->text, key->item[1]->integer, key->item[2]->text);
}

static bool callers_take(const struct marshal_value *callers, struct stats *stats, size_t number)
{
    for (size_t i = 0; i < callers->count; i += 2) {
        const struct marshal_value *counts = callers->item[i + 1];
        size_t caller = key_take(callers->item[i], stats);
        if (caller == SIZE_MAX || !is_types(counts, "iigg"))
            return false;
        struct counts *edge = stats_edge(stats, number, caller);
        if (!edge)
            return false;
        *edge = (struct counts){counts->item[0]->integer, counts->item[1]->integer,
                                number_of(counts->item[2]), number_of(counts->item[3])};
    }
    return true;
}

/* Reads the keys first: callers may be named before their own entries, which define the order. */
static bool all_take(const struct marshal_value *all, struct stats *stats)
{
    if (!all || all->type != DICTIONARY)
        return false;
    for (size_t i = 0; i < all->count; i += 2)
        if (key_take(all->item[i], stats) == SIZE_MAX)
            return false;
    for (size_t i = 0; i < all->count; i += 2) {
        const struct marshal_value *value = all->item[i + 1];
        size_t number = key_take(all->item[i], stats);
        if (!is_types(value, "iiggd"))
            return false;
        stats->function[number].counts =
            (struct counts){value->item[1]->integer, value->item[0]->integer,
                            number_of(value->item[2]), number_of(value->item[3])};
        if (!callers_take(value->item[4], stats, number))
            return false;
    }
    return true;
}

int marshal_read(const void *data, size_t size, struct stats *stats, struct sw_error *err)
{
    struct marshal_reader in = {.at = data, .end = (const unsigned char *)data + size};
    *stats = (struct stats){0};
    const struct marshal_value *all = get_value(&in, 0);
    bool fine = !in.failed && in.at == in.end && all_take(all, stats);
    values_free(&in);
    if (stats->failed)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for this profile");
    if (!fine)
        return sw_error_set(err, SW_EINVAL,
                            "this is not a function profile: expected a file of stepwatch "
                            "(.functions) or of cProfile (.prof)");
    return 0;
}
