/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/tracking_key.h"
#include "core/text/characters.h"
#include "sinks/common/upload/crc32.h"

#include <stdbool.h>
#include <string.h>

enum { KEPT = 241 }; /* characters of a name that was changed; the checksum needs 9 */

/* ---- characters ---------------------------------------------------------------------------------
 */

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

static bool is_allowed(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (c && strchr("_./ -", c));
}

/* Returns the bytes of the first character; a byte that is not UTF-8 counts as one. */
static size_t character_size(const char *text, size_t size)
{
    uint32_t code;
    size_t length = swi_utf8_next(text, size, &code);
    return length ? length : 1;
}

/* Adds one character for each of the name. */
static void characters_add(struct swi_text *text, const char *raw, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = character_size(raw + i, size - i);
        swi_text_add(text, length == 1 && is_allowed(raw[i]) ? raw + i : "_", 1);
        i += length;
    }
}

/* ---- parts of a path ----------------------------------------------------------------------------
 */

static bool part_is(const char *part, size_t size, const char *is)
{
    return strlen(is) == size && memcmp(part, is, size) == 0;
}

/* The server refuses a name that is a path which would change. */
static void parts_add(struct swi_text *text, const char *path)
{
    const char *rest = path;
    while (*rest) {
        size_t size = strcspn(rest, "/");
        bool up = part_is(rest, size, "..");
        if (size && !part_is(rest, size, ".")) {
            swi_text_put(text, text->size ? "/" : "");
            swi_text_add(text, up ? "__" : rest, size);
        }
        rest += size + (rest[size] == '/');
    }
    if (text->size >= 2 && memcmp(text->data, "..", 2) == 0)
        memcpy(text->data, "__", 2);
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static void checksum_add(struct swi_text *key, const char *raw, size_t size)
{
    if (key->size > KEPT)
        key->size = KEPT;
    swi_text_format(key, "-%08x", (unsigned)swi_crc32(0, raw, size));
}

void swi_tracking_key_make(struct swi_text *key, const char *raw, size_t size)
{
    struct swi_text characters = {0};
    characters_add(&characters, raw, size);
    parts_add(key, characters.data ? characters.data : "");
    bool same = key->size == size && size && memcmp(key->data, raw, size) == 0;
    if (!same || key->size > SWI_KEY_MAX)
        checksum_add(key, raw, size);
    key->failed |= characters.failed;
    swi_text_free(&characters);
}

/* Makes a key that no other name has. */
static bool key_find(const struct swi_tracking_keys *keys, struct swi_text *key, const char *name)
{
    struct swi_text raw = {0};
    raw_add(&raw, name);
    swi_tracking_key_make(key, raw.data ? raw.data : "", raw.size);
    while (!key->failed && !raw.failed && json_object_get(keys->name_of, key->data)) {
        swi_text_put(&raw, "'");
        checksum_add(key, raw.data, raw.size);
    }
    bool good = !key->failed && !raw.failed;
    swi_text_free(&raw);
    return good;
}

const char *swi_tracking_key(struct swi_tracking_keys *keys, const char *name)
{
    struct swi_text key = {0};
    if (!keys->key_of)
        keys->key_of = json_object();
    if (!keys->name_of)
        keys->name_of = json_object();
    const char *known = json_string_value(json_object_get(keys->key_of, name));
    if (known)
        return known;
    if (key_find(keys, &key, name)) {
        json_object_set_new(keys->key_of, name, json_string(key.data));
        json_object_set_new(keys->name_of, key.data, json_string(name));
    }
    swi_text_free(&key);
    return json_string_value(json_object_get(keys->key_of, name));
}

void swi_tracking_keys_free(struct swi_tracking_keys *keys)
{
    json_decref(keys->key_of);
    json_decref(keys->name_of);
    *keys = (struct swi_tracking_keys){0};
}

size_t swi_characters_size(const char *text, size_t most)
{
    size_t size = 0, whole = strlen(text);
    for (; most && size < whole; most--)
        size += character_size(text + size, whole - size);
    return size;
}
