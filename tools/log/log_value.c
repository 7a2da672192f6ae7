/* SPDX-License-Identifier: MIT */
#include "tools/log/log_value.h"

#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>

/* ---- access ---- */

int log_key_order(const struct log_value *key, const char *text, size_t size)
{
    if (key->size != size)
        return key->size < size ? -1 : 1;
    return memcmp(key->text, text, size);
}

static const struct log_value *sorted_member(const struct log_value *object, const char *text,
                                             size_t size)
{
    for (size_t low = 0, high = object->size; low < high;) {
        size_t middle = low + (high - low) / 2;
        const struct log_value *key = object + object->place[middle];
        int order = log_key_order(key, text, size);
        if (order == 0)
            return key + 1;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

const struct log_value *log_member(const struct log_value *object, const char *text, size_t size,
                                   unsigned char mark)
{
    if (log_has_places(object))
        return sorted_member(object, text, size);
    const struct log_value *key = object + 1, *end = object + object->span;
    for (; key < end; key += 1 + key[1].span)
        if (key->mark == mark && log_key_order(key, text, size) == 0)
            return key + 1;
    return NULL;
}

const struct log_value *log_at(const struct log_value *array, size_t index)
{
    if (!log_is(array, LOG_ARRAY) || index >= array->size)
        return NULL;
    if (array->flat || log_has_places(array))
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

/* ---- durations of a step ---- */

int64_t log_ns(const struct log_value *value)
{
    const int64_t most = 3200000000000000000 / 1024;
    if (log_is(value, LOG_INTEGER))
        return value->integer < 0 ? 0 : value->integer < most ? value->integer : most;
    double ns = log_digits(value, 0);
    return ns > 0 ? (int64_t)(ns < (double)most ? ns : (double)most) : 0;
}

int64_t log_ns_sum(const struct log_value *value)
{
    int64_t sum = log_ns(value);
    for (const struct log_value *v = log_first(value); v; v = log_after(value, v))
        sum += log_ns(v);
    return sum;
}

bool log_is_in_batch(const char *action)
{
    return strcmp(action, "draw") != 0 && strcmp(action, "batch") != 0;
}

int64_t log_selves_sum(const struct log_value *durations, const struct log_value *selves)
{
    int64_t sum = 0;
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        const struct log_value *self = log_get(selves, k->text);
        if (log_is_in_batch(k->text))
            sum += log_ns_sum(self ? self : k + 1);
    }
    return sum;
}

/* ---- copies ---- */

/* Bytes that a value points to. */
static size_t outside(const struct log_value *value)
{
    if (value->kind == LOG_STRING || value->kind == LOG_REAL)
        return value->size + 1;
    return value->kind >= LOG_ARRAY && log_has_places(value) ? value->size * sizeof *value->place
                                                             : 0;
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

/* ---- copies of lines ---- */

bool kept_lines_add(struct kept_lines *kept, const struct log_value *line)
{
    struct log_value *copy = log_value_copy(line);
    if (!copy || !swi_vec_grow(&kept->line, kept->count, &kept->room, sizeof *kept->line)) {
        free(copy);
        return !line;
    }
    kept->line[kept->count++] = copy;
    return true;
}

bool kept_lines_put(struct kept_lines *kept, const char *name, const struct log_value *line)
{
    ptrdiff_t number = swi_map_find(&kept->names, name, strlen(name));
    if (number < 0) {
        if (!line || swi_map_add(&kept->names, name, strlen(name)) < 0)
            return !line;
        if (kept_lines_add(kept, line))
            return true;
        swi_map_undo(&kept->names);
        return false;
    }
    struct log_value *copy = log_value_copy(line);
    if (!copy)
        return !line;
    free(kept->line[number]);
    kept->line[number] = copy;
    return true;
}

void kept_lines_free(struct kept_lines *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free(kept->line[i]);
    free(kept->line);
    swi_map_free(&kept->names);
    *kept = (struct kept_lines){0};
}
