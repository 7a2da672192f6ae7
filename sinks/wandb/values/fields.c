/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/values/fields.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>

/* Rows differ: the memory of a few fields that this one lacks is kept for the next one. */
enum { KEPT = 32 };

size_t swi_fields_place(const struct swi_fields *row, const char *key)
{
    ptrdiff_t number = swi_map_find(&row->names, key, strlen(key));
    return number < 0 ? 0 : row->place[number];
}

static struct swi_field *add(struct swi_fields *row, size_t *place)
{
    if (!swi_vec_grow(&row->item, row->count, &row->room, sizeof *row->item))
        return NULL;
    struct swi_field *item = &row->item[row->count++];
    if (row->made < row->count) {
        item->json = (struct swi_text){0};
        row->made = row->count;
    }
    item->number = (size_t)(place - row->place);
    item->key = row->names.name[item->number].text;
    item->key_size = row->names.name[item->number].size;
    *place = row->count;
    return item;
}

static struct swi_text *set(struct swi_fields *row, const char *key, size_t size)
{
    size_t *place = swi_map_item(&row->names, &row->place, sizeof *row->place, key, size);
    if (!place)
        return NULL;
    struct swi_field *item = *place ? &row->item[*place - 1] : add(row, place);
    if (!item)
        return NULL;
    item->json.size = 0;
    return &item->json;
}

/* The format has only UTF-8. A protobuf reader rejects the whole record otherwise. */
struct swi_text *swi_fields_set(struct swi_fields *row, const char *key)
{
    struct swi_text safe = {0};
    size_t size = strlen(key);
    if (size && swi_text_is_plain(key, size))
        return set(row, key, size);
    swi_escape_terminal(&safe, key);
    bool made = safe.data && !safe.failed;
    struct swi_text *json = made ? set(row, safe.data, safe.size) : set(row, "unnamed", 7);
    swi_text_free(&safe);
    return json;
}

const struct swi_text *swi_fields_get(const struct swi_fields *row, const char *key)
{
    size_t place = swi_fields_place(row, key);
    return place ? &row->item[place - 1].json : NULL;
}

bool swi_fields_remove(struct swi_fields *row, const char *key)
{
    size_t place = swi_fields_place(row, key);
    if (!place)
        return false;
    struct swi_field *item = &row->item[place - 1];
    struct swi_text unused = item->json;
    row->place[item->number] = 0;
    row->count--;
    memmove(item, item + 1, (row->count + 1 - place) * sizeof *item);
    row->item[row->count].json = unused;
    for (size_t at = place - 1; at < row->count; at++)
        row->place[row->item[at].number] = at + 1;
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
        same = row->item[i].key_size == other->item[i].key_size &&
               memcmp(row->item[i].key, other->item[i].key, other->item[i].key_size) == 0;
    return same;
}

static void names_free(struct swi_fields *row)
{
    swi_map_free(&row->names);
    free(row->place);
    row->place = NULL;
}

static void values_free(struct swi_fields *row, size_t from)
{
    for (size_t i = from; i < row->made; i++)
        swi_text_free(&row->item[i].json);
    row->made = row->made < from ? row->made : from;
}

void swi_fields_clear(struct swi_fields *row)
{
    for (size_t i = 0; i < row->count; i++) {
        row->place[row->item[i].number] = 0;
        /* Frees the memory of long values. */
        if (row->item[i].json.capacity > 4096)
            swi_text_free(&row->item[i].json);
    }
    values_free(row, row->count + KEPT);
    /* A program that has new names again and again must not fill the memory. */
    if (row->names.count > 2 * row->count + KEPT)
        names_free(row);
    row->count = 0;
}

void swi_fields_free(struct swi_fields *row)
{
    values_free(row, 0);
    names_free(row);
    free(row->item);
    *row = (struct swi_fields){0};
}
