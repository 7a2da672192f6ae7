/* SPDX-License-Identifier: MIT */
#include "sinks/sqlite/trackio_object.h"
#include "core/text/escape.h"
#include "core/text/vec.h"

#include <stdlib.h>

/* Returns whether Trackio has a column with this name. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"project", "run",  "timestamp",
                                           "step",    "time", "metrics"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return strncmp(name, "__", 2) == 0;
}

static void key_add(struct swi_text *text, const char *name)
{
    struct swi_text key = {0};
    swi_text_put(&key, is_reserved(name) ? "__" : "");
    swi_text_put(&key, name);
    swi_escape_json(text, key.data ? key.data : "");
    text->failed |= key.failed;
    swi_text_free(&key);
}

static void last_end(struct swi_object *object)
{
    if (object->count)
        object->pair[object->count - 1].end = object->text.size;
}

void swi_object_key(struct swi_object *object, const char *name)
{
    size_t begin = object->text.size;
    last_end(object);
    key_add(&object->text, name);
    bool fits = !object->text.failed &&
                swi_vec_grow(&object->pair, object->count, &object->room, sizeof *object->pair);
    size_t *newest = fits ? swi_map_item(&object->keys, &object->newest, sizeof *newest,
                                         object->text.data + begin, object->text.size - begin)
                          : NULL;
    object->text.failed |= !newest;
    if (!newest)
        return;
    if (*newest)
        object->pair[*newest - 1].replaced = true;
    object->pair[object->count] =
        (struct swi_object_pair){.key = (size_t)(newest - object->newest), .begin = begin};
    *newest = ++object->count;
    swi_text_put(&object->text, ":");
}

static void keys_free(struct swi_object *object)
{
    swi_map_free(&object->keys);
    free(object->newest);
    object->newest = NULL;
}

void swi_object_take(struct swi_object *object, struct swi_text *json)
{
    const char *comma = "{";
    last_end(object);
    for (size_t i = 0; i < object->count; i++) {
        const struct swi_object_pair *pair = &object->pair[i];
        object->newest[pair->key] = 0;
        if (pair->replaced)
            continue;
        swi_text_put(json, comma);
        swi_text_add(json, object->text.data + pair->begin, pair->end - pair->begin);
        comma = ",";
    }
    swi_text_put(json, object->count ? "}" : "{}");
    json->failed |= object->text.failed;
    object->text.failed = false;
    /* A program that has new names again and again must not fill the memory. */
    if (object->keys.count > 2 * object->count + 32)
        keys_free(object);
    object->text.size = object->count = 0;
}

void swi_object_free(struct swi_object *object)
{
    swi_text_free(&object->text);
    free(object->pair);
    keys_free(object);
}
