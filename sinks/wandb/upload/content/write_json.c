/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/write_json.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "net/json.h"
#include "sinks/wandb/values/fields.h"

#include <stdlib.h>
#include <string.h>

/* ---- values of messages, nested by their names ----------------------------------------------- */

/* Values of items, and items whose names have several parts as nested objects:
 * {"a":{"b":1,"c":2}}. */

json_t *swi_item_value(const struct swi_item_message *item)
{
    struct swi_text text = {0};
    swi_wandb_item_json(&text, item);
    json_t *value = text.failed ? NULL : swi_json_read_tokens(text.data, text.size);
    swi_text_free(&text);
    return value;
}

/* Names with more parts are cut: they do not occur in practice, and each part needs a level of
 * recursion. */
enum { DEPTH_MAX = 32 };

struct place {
    const struct swi_item_message *item;
    size_t parts, number;
};

/* ---- as text --------------------------------------------------------------------------------- */

static int by_parts(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    for (size_t i = 0; i < x->parts && i < y->parts; i++) {
        int order = strcmp(x->item->nested_key[i], y->item->nested_key[i]);
        if (order)
            return order;
    }
    if (x->parts != y->parts)
        return x->parts < y->parts ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Returns how many places, from the first on, have the same part at this depth. */
static size_t alike(const struct place *place, size_t count, size_t depth)
{
    size_t n = 1;
    while (n < count &&
           strcmp(place[n].item->nested_key[depth], place[0].item->nested_key[depth]) == 0)
        n++;
    return n;
}

static void put_members(struct swi_text *json, const struct place *place, size_t count,
                        size_t depth);

/* Shorter names come first: if the last one ends here, all of them do. */
static void put_value(struct swi_text *json, const struct place *place, size_t count, size_t depth)
{
    const struct place *last = &place[count - 1];
    if (last->parts == depth + 1) {
        swi_wandb_item_json(json, last->item);
        return;
    }
    while (place->parts == depth + 1) {
        place++;
        count--;
    }
    swi_text_put(json, "{");
    put_members(json, place, count, depth + 1);
    if (json->size && json->data[json->size - 1] == ',')
        json->size--;
    swi_text_put(json, "}");
}

static void put_members(struct swi_text *json, const struct place *place, size_t count,
                        size_t depth)
{
    for (size_t n; count > 0; place += n, count -= n) {
        n = alike(place, count, depth);
        swi_escape_json(json, place->item->nested_key[depth]);
        swi_text_put(json, ":");
        put_value(json, place, n, depth);
        swi_text_put(json, ",");
    }
}

void swi_nested_put(struct swi_text *json, const struct swi_item_message *const *item, size_t count)
{
    size_t used = 0;
    struct place *place = calloc(count ? count : 1, sizeof *place);
    json->failed |= !place;
    for (size_t i = 0; place && i < count; i++) {
        size_t parts = item[i]->n_nested_key < DEPTH_MAX ? item[i]->n_nested_key : DEPTH_MAX;
        if (parts > 1)
            place[used++] = (struct place){.item = item[i], .parts = parts, .number = i};
    }
    if (used) {
        qsort(place, used, sizeof *place, by_parts);
        put_members(json, place, used, 0);
    }
    free(place);
}

/* ---- as an object ---------------------------------------------------------------------------- */

void swi_nested_set(json_t *root, const struct swi_item_message *item, json_t *value)
{
    size_t parts = item->n_nested_key < DEPTH_MAX ? item->n_nested_key : DEPTH_MAX;
    for (size_t i = 0; i + 1 < parts; i++) {
        json_t *below = json_object_get(root, item->nested_key[i]);
        if (!json_is_object(below)) {
            below = json_object();
            json_object_set_new(root, item->nested_key[i], below);
        }
        root = below;
    }
    json_object_set(root, item->nested_key[parts - 1], value);
}

void swi_nested_remove(json_t *root, const struct swi_item_message *item)
{
    size_t parts = item->n_nested_key < DEPTH_MAX ? item->n_nested_key : DEPTH_MAX;
    for (size_t i = 0; i + 1 < parts; i++)
        root = json_object_get(root, item->nested_key[i]);
    json_object_del(root, item->nested_key[parts - 1]);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void scalar(struct swi_text *text, const json_t *json)
{
    if (json_is_string(json))
        swi_escape_json(text, json_string_value(json));
    else if (json_is_integer(json))
        swi_text_integer(text, json_integer_value(json));
    else if (json_is_real(json))
        swi_number_exact(text, json_real_value(json));
    else
        swi_text_put(text, json_is_true(json) ? "true" : json_is_false(json) ? "false" : "null");
}

static void array(struct swi_text *text, const json_t *json)
{
    for (size_t i = 0; i < json_array_size(json); i++) {
        swi_text_put(text, i ? "," : "[");
        swi_write_json(text, json_array_get(json, i));
    }
    swi_text_put(text, json_array_size(json) ? "]" : "[]");
}

static void object(struct swi_text *text, const json_t *json)
{
    const char *key, *before = "{";
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        swi_text_put(text, before);
        swi_escape_json(text, key);
        swi_text_put(text, ":");
        swi_write_json(text, value);
        before = ",";
    }
    swi_text_put(text, json_object_size(json) ? "}" : "{}");
}

void swi_write_json(struct swi_text *text, const json_t *json)
{
    if (json_is_object(json))
        object(text, json);
    else if (json_is_array(json))
        array(text, json);
    else
        scalar(text, json);
}

/* ---- YAML ------------------------------------------------------------------------------------ */

static void yaml_block(struct swi_text *text, const json_t *json, size_t indent);

static bool is_block(const json_t *json)
{
    return json_object_size(json) > 0 || json_array_size(json) > 0;
}

/* Returns whether YAML reads a word as text and nothing else. All others are quoted as JSON, which
 * is YAML. */
static bool is_plain(const char *word)
{
    static const char *const meant[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strcasecmp(word, meant[i]) == 0)
            return false;
    size_t good =
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/0123456789-.");
    return *word && !word[good] && strchr("0123456789-.", *word) == NULL;
}

static void yaml_text(struct swi_text *text, const char *string)
{
    if (is_plain(string))
        swi_text_put(text, string);
    else
        swi_escape_json(text, string);
}

static void yaml_scalar(struct swi_text *text, const json_t *json)
{
    struct swi_text value = {0};
    swi_write_json(&value, json);
    text->failed |= value.failed;
    swi_yaml_number(text, value.data ? value.data : "null");
    swi_text_free(&value);
}

/* Returns the indent of the next level: four blanks, even after a dash. */
static size_t deeper(size_t indent)
{
    return (indent / 4 + 1) * 4;
}

/* Writes what follows a key or a dash, on the same line or below it. */
static void yaml_value(struct swi_text *text, const json_t *json, size_t indent, bool item)
{
    if (is_block(json) && item && json_is_object(json)) {
        yaml_block(text, json, indent + 2);
        return;
    }
    swi_text_put(text, is_block(json) ? "\n" : item ? "" : " ");
    if (is_block(json)) {
        swi_text_fill(text, ' ', deeper(indent));
        yaml_block(text, json, deeper(indent));
        return;
    }
    if (json_is_string(json))
        yaml_text(text, json_string_value(json));
    else
        yaml_scalar(text, json);
    swi_text_put(text, "\n");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns NULL if out of memory. */
static const char **keys_sorted(const json_t *json)
{
    const char **keys = malloc((json_object_size(json) + 1) * sizeof *keys), *key;
    size_t count = 0;
    json_t *value;
    if (!keys)
        return NULL;
    json_object_foreach((json_t *)(uintptr_t)json, key, value) keys[count++] = key;
    qsort(keys, count, sizeof *keys, by_name);
    return keys;
}

static void yaml_object(struct swi_text *text, const json_t *json, size_t indent)
{
    const char **keys = keys_sorted(json);
    text->failed |= !keys;
    for (size_t i = 0; keys && i < json_object_size(json); i++) {
        swi_text_fill(text, ' ', i ? indent : 0);
        yaml_text(text, keys[i]);
        swi_text_put(text, ":");
        yaml_value(text, json_object_get(json, keys[i]), indent, false);
    }
    free(keys);
}

/* The parent has already indented the first line of a block. */
static void yaml_block(struct swi_text *text, const json_t *json, size_t indent)
{
    if (json_is_object(json)) {
        yaml_object(text, json, indent);
        return;
    }
    for (size_t i = 0; i < json_array_size(json); i++) {
        swi_text_fill(text, ' ', i ? indent : 0);
        swi_text_put(text, "- ");
        yaml_value(text, json_array_get(json, i), indent, true);
    }
}

void swi_write_yaml(struct swi_text *text, const json_t *json)
{
    yaml_block(text, json, 0);
}
