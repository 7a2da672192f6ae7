/* SPDX-License-Identifier: MIT */
#include "sinks/sqlite/trackio_object.h"
#include "core/text/escape.h"
#include "core/text/hash.h"

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

static struct swi_object_pair *pair_new(struct swi_object *object)
{
    if (object->count == object->room) {
        size_t room = object->room ? 2 * object->room : 64;
        struct swi_object_pair *grown = realloc(object->pair, room * sizeof *grown);
        object->text.failed |= !grown;
        if (!grown)
            return NULL;
        object->pair = grown;
        object->room = room;
    }
    if (!object->count)
        memset(object->newest, -1, sizeof object->newest);
    return &object->pair[object->count];
}

/* Marks the earlier pair with the key of this one. */
static void earlier_replace(struct swi_object *object, const struct swi_object_pair *pair)
{
    const char *text = object->text.data;
    for (int32_t i = pair->next; i >= 0; i = object->pair[i].next) {
        struct swi_object_pair *earlier = &object->pair[i];
        bool same = earlier->hash == pair->hash && earlier->key == pair->key &&
                    memcmp(text + earlier->begin, text + pair->begin, pair->key) == 0;
        earlier->replaced |= same;
        if (same)
            return;
    }
}

static void last_end(struct swi_object *object)
{
    if (object->count)
        object->pair[object->count - 1].end = object->text.size;
}

void swi_object_key(struct swi_object *object, const char *name)
{
    size_t length, begin = object->text.size;
    uint32_t hash = swi_hash(name, SIZE_MAX, &length);
    last_end(object);
    struct swi_object_pair *pair = pair_new(object);
    if (!pair)
        return;
    key_add(&object->text, name);
    if (object->text.failed)
        return;
    *pair = (struct swi_object_pair){.hash = hash,
                                     .next = object->newest[hash % SWI_OBJECT_CHAINS],
                                     .begin = begin,
                                     .key = object->text.size - begin};
    earlier_replace(object, pair);
    object->newest[hash % SWI_OBJECT_CHAINS] = (int32_t)object->count++;
    swi_text_put(&object->text, ":");
}

void swi_object_take(struct swi_object *object, struct swi_text *json)
{
    const char *comma = "{";
    last_end(object);
    for (size_t i = 0; i < object->count; i++) {
        const struct swi_object_pair *pair = &object->pair[i];
        if (pair->replaced)
            continue;
        swi_text_put(json, comma);
        swi_text_add(json, object->text.data + pair->begin, pair->end - pair->begin);
        comma = ",";
    }
    swi_text_put(json, object->count ? "}" : "{}");
    json->failed |= object->text.failed;
    object->text.failed = false;
    object->text.size = object->count = 0;
}

void swi_object_free(struct swi_object *object)
{
    swi_text_free(&object->text);
    free(object->pair);
}
