/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/tracking_key.h"
#include "sinks/mlflow/upload/clean_key.h"

#include <stdbool.h>
#include <string.h>

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Adds the bytes of a name: the journal has a byte that is not UTF-8 as the text \xNN. */
static void raw_add(struct swi_text *raw, const char *name)
{
    for (; *name; name++) {
        int high = name[0] == '\\' && name[1] == 'x' ? hex_digit(name[2]) : -1;
        int low = high >= 8 ? hex_digit(name[3]) : -1;
        char byte = (char)(low >= 0 ? high * 16 + low : *name);
        swi_text_add(raw, &byte, 1);
        name += low >= 0 ? 3 : 0;
    }
}

/* Makes a key that no other name has. */
static bool key_find(const struct swi_tracking_keys *keys, struct swi_text *key, const char *name,
                     bool plain)
{
    struct swi_text raw = {0};
    raw_add(&raw, name);
    swi_clean_key(key, raw.data ? raw.data : "", raw.size, SWI_KEY_MAX, plain);
    while (!key->failed && !raw.failed && json_object_get(keys->name_of, key->data)) {
        swi_text_put(&raw, "'");
        swi_checksum_add(key, raw.data, raw.size, SWI_KEY_MAX);
    }
    bool good = !key->failed && !raw.failed;
    swi_text_free(&raw);
    return good;
}

static void key_set(struct swi_tracking_keys *keys, const char *name, bool plain)
{
    struct swi_text key = {0};
    const char *known = json_string_value(json_object_get(keys->key_of, name));
    if (known)
        json_object_del(keys->name_of, known);
    if (key_find(keys, &key, name, plain)) {
        json_object_set_new(keys->key_of, name, json_string(key.data));
        json_object_set_new(keys->name_of, key.data, json_string(name));
    }
    swi_text_free(&key);
}

const char *swi_tracking_key(struct swi_tracking_keys *keys, const char *name)
{
    if (!keys->key_of)
        keys->key_of = json_object();
    if (!keys->name_of)
        keys->name_of = json_object();
    const char *known = json_string_value(json_object_get(keys->key_of, name));
    if (known)
        return known;
    key_set(keys, name, false);
    return json_string_value(json_object_get(keys->key_of, name));
}

const char *swi_tracking_key_plain(struct swi_tracking_keys *keys, const char *name)
{
    key_set(keys, name, true);
    return json_string_value(json_object_get(keys->key_of, name));
}

bool swi_tracking_key_is_plain(const char *key)
{
    for (; *key; key++)
        if ((unsigned char)*key >= 0x80 || *key == ':')
            return false;
    return true;
}

void swi_tracking_keys_free(struct swi_tracking_keys *keys)
{
    json_decref(keys->key_of);
    json_decref(keys->name_of);
    *keys = (struct swi_tracking_keys){0};
}
