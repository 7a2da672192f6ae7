/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/nested.h"
#include "core/text/escape.h"
#include "net/json.h"

#include <stdlib.h>
#include <string.h>

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
