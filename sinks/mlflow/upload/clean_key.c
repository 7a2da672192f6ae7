/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/clean_key.h"
#include "core/text/characters.h"
#include "sinks/common/upload/crc32.h"

#include <string.h>

enum { CHECKSUM = 9 }; /* characters */

/* ---- characters ------------------------------------------------------------------------------ */

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

/* ---- parts of a path ------------------------------------------------------------------------- */

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

/* ---- keys ------------------------------------------------------------------------------------ */

void swi_checksum_add(struct swi_text *key, const char *raw, size_t size, size_t most)
{
    if (key->size > most - CHECKSUM)
        key->size = most - CHECKSUM;
    swi_text_format(key, "-%08x", (unsigned)swi_crc32(0, raw, size));
}

void swi_clean_key(struct swi_text *key, const char *raw, size_t size, size_t most)
{
    struct swi_text characters = {0};
    characters_add(&characters, raw, size);
    parts_add(key, characters.data ? characters.data : "");
    bool same = key->size == size && size && memcmp(key->data, raw, size) == 0;
    if (!same || key->size > most)
        swi_checksum_add(key, raw, size, most);
    key->failed |= characters.failed;
    swi_text_free(&characters);
}

size_t swi_characters_size(const char *text, size_t most)
{
    size_t size = 0, whole = strlen(text);
    for (; most && size < whole; most--)
        size += character_size(text + size, whole - size);
    return size;
}
