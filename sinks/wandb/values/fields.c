/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/values/fields.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most names that differ have different lengths. */
static bool is_named(const struct swi_fields *row, size_t at, const char *key, size_t size)
{
    return row->item[at].key_size == size && memcmp(row->item[at].key, key, size) == 0;
}

static struct swi_field *find(struct swi_fields *row, const char *key, size_t size)
{
    size_t at = row->next;
    for (size_t i = 0; i < row->count; i++, at++) {
        at = at < row->count ? at : 0;
        if (is_named(row, at, key, size)) {
            row->next = at + 1;
            return &row->item[at];
        }
    }
    return NULL;
}

/* Returns the field of this name of an earlier row, mostly the next one, because rows repeat their
 * names in order. No name is there twice, so this one is not among the fields before. */
static struct swi_field *repeat(struct swi_fields *row, const char *key, size_t size)
{
    size_t at = row->count;
    while (at < row->made && !is_named(row, at, key, size))
        at++;
    if (at >= row->made)
        return NULL;
    if (at > row->count) {
        struct swi_field found = row->item[at];
        row->item[at] = row->item[row->count];
        row->item[row->count] = found;
    }
    return &row->item[row->count++];
}

static void forget(struct swi_fields *row, size_t from)
{
    for (size_t i = from; i < row->made; i++) {
        free(row->item[i].key);
        swi_text_free(&row->item[i].json);
    }
    row->made = from;
}

static bool grow(struct swi_fields *row)
{
    if (row->made < row->capacity)
        return true;
    size_t capacity = row->capacity ? row->capacity * 2 : 16;
    struct swi_field *item = realloc(row->item, capacity * sizeof *item);
    if (!item)
        return false;
    row->item = item;
    row->capacity = capacity;
    return true;
}

/* Some rows have more names than others, such as those with figures of throughput: a few names that
 * this row may lack are kept for the next one. */
static struct swi_field *add(struct swi_fields *row, const char *key, size_t size)
{
    enum { KEPT = 32 };
    if (row->made - row->count > KEPT)
        forget(row, row->count);
    struct swi_field added = {.key = grow(row) ? strdup(key) : NULL, .key_size = size};
    if (!added.key)
        return NULL;
    if (row->made > row->count)
        row->item[row->made] = row->item[row->count];
    row->made++;
    row->item[row->count] = added;
    return &row->item[row->count++];
}

static struct swi_text *set(struct swi_fields *row, const char *key, size_t size)
{
    struct swi_field *item = repeat(row, key, size);
    if (!item)
        item = find(row, key, size);
    if (!item)
        item = add(row, key, size);
    if (!item)
        return NULL;
    item->json.size = 0;
    return &item->json;
}

/* Returns whether the next field has this name, which needs no escaping then. */
static bool is_next(const struct swi_fields *row, const char *key, size_t size)
{
    return row->count < row->made && is_named(row, row->count, key, size);
}

/* The format has only UTF-8. A protobuf reader rejects the whole record otherwise. */
struct swi_text *swi_fields_set(struct swi_fields *row, const char *key)
{
    struct swi_text safe = {0};
    size_t size = strlen(key);
    if (is_next(row, key, size) || (size && swi_text_is_plain(key, size)))
        return set(row, key, size);
    swi_escape_terminal(&safe, key);
    bool made = safe.data && !safe.failed;
    struct swi_text *json = made ? set(row, safe.data, safe.size) : set(row, "unnamed", 7);
    swi_text_free(&safe);
    return json;
}

const struct swi_text *swi_fields_get(const struct swi_fields *row, const char *key)
{
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->item[i].key, key) == 0)
            return &row->item[i].json;
    return NULL;
}

bool swi_fields_has(const struct swi_fields *row, const char *key)
{
    return swi_fields_get(row, key) != NULL;
}

bool swi_fields_remove(struct swi_fields *row, const char *key)
{
    size_t at = 0;
    while (at < row->count && strcmp(row->item[at].key, key) != 0)
        at++;
    if (at == row->count)
        return false;
    forget(row, row->count);
    free(row->item[at].key);
    swi_text_free(&row->item[at].json);
    memmove(&row->item[at], &row->item[at + 1], (row->count - at - 1) * sizeof *row->item);
    row->made = --row->count;
    row->next = 0;
    return true;
}

void swi_json_number(struct swi_text *text, double value)
{
    if (isnan(value))
        swi_text_put(text, "NaN");
    else if (isinf(value))
        swi_text_put(text, value > 0 ? "Infinity" : "-Infinity");
    else
        swi_number_exact(text, value);
}

void swi_fields_number(struct swi_fields *row, const char *key, double value)
{
    struct swi_text *json = swi_fields_set(row, key);
    if (json)
        swi_json_number(json, value);
}

void swi_fields_decimal(struct swi_fields *row, const char *key, int64_t units, int digits)
{
    struct swi_text *json = swi_fields_set(row, key);
    if (json)
        swi_number_decimal(json, units, digits);
}

void swi_fields_integer(struct swi_fields *row, const char *key, int64_t value)
{
    struct swi_text *json = swi_fields_set(row, key);
    if (json)
        swi_text_integer(json, value);
}

void swi_fields_merge(struct swi_fields *row, const struct swi_fields *other)
{
    row->next = 0;
    for (size_t i = 0; i < other->count; i++) {
        struct swi_text *json = set(row, other->item[i].key, other->item[i].key_size);
        if (json)
            swi_text_add(json, other->item[i].json.data, other->item[i].json.size);
    }
}

bool swi_fields_are_alike(const struct swi_fields *row, const struct swi_fields *other)
{
    bool same = row->count == other->count;
    for (size_t i = 0; same && i < row->count; i++)
        same = is_named(row, i, other->item[i].key, other->item[i].key_size);
    return same;
}

void swi_fields_clear(struct swi_fields *row)
{
    /* Frees the memory of long values. */
    for (size_t i = 0; i < row->count; i++)
        if (row->item[i].json.capacity > 4096)
            swi_text_free(&row->item[i].json);
    row->count = 0;
    row->next = 0;
}

void swi_fields_free(struct swi_fields *row)
{
    forget(row, 0);
    free(row->item);
    *row = (struct swi_fields){0};
}
