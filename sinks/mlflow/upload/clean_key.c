/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/clean_key.h"
#include "core/text/characters.h"
#include "core/text/digest.h"

#include <string.h>

enum { CHECKSUM = 9 }; /* characters */

/* ---- characters ------------------------------------------------------------------------------ */

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (c && strchr("_./ -", c));
}

/* Returns whether a character beyond ASCII is a letter or a digit, as far as blocks of Unicode
 * tell. If a server thinks otherwise, it gets the plain key. */
static bool is_letter(uint32_t code)
{
    static const uint32_t others[][2] = {
        {0x80, 0xa9},       {0xab, 0xb1},     {0xb4, 0xb4},       {0xb6, 0xb8},
        {0xbb, 0xbb},       {0xbf, 0xbf},     {0xd7, 0xd7},       {0xf7, 0xf7},
        {0x2c2, 0x2c5},     {0x300, 0x36f},   {0x2000, 0x206f},   {0x20a0, 0x20ff},
        {0x2190, 0x245f},   {0x2500, 0x2775}, {0x2794, 0x2bff},   {0x2e00, 0x2e7f},
        {0x3000, 0x3004},   {0x3008, 0x3020}, {0x3030, 0x3030},   {0xd800, 0xf8ff},
        {0xfe00, 0xfe6f},   {0xff00, 0xff0f}, {0xff1a, 0xff20},   {0xff3b, 0xff40},
        {0xff5b, 0xff65},   {0xffe0, 0xffff}, {0x1f000, 0x1f0ff}, {0x1f10d, 0x1fbef},
        {0xe0000, 0x10ffff}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (code >= others[i][0] && code <= others[i][1])
            return false;
    return code >= 0x80;
}

/* Returns the bytes of the first character; a byte that is not UTF-8 counts as one. */
static size_t character_size(const char *text, size_t size)
{
    uint32_t code;
    size_t length = swi_utf8_next(text, size, &code);
    return length ? length : 1;
}

static bool is_kept(const char *text, size_t size, bool plain)
{
    uint32_t code = 0;
    if (is_plain(*text))
        return true;
    return !plain && swi_utf8_next(text, size, &code) && (code == ':' || is_letter(code));
}

/* Adds one character for each of the name. */
static void characters_add(struct swi_text *text, const char *raw, size_t size, bool plain)
{
    for (size_t i = 0; i < size;) {
        size_t length = character_size(raw + i, size - i);
        if (is_kept(raw + i, size - i, plain))
            swi_text_add(text, raw + i, length);
        else
            swi_text_put(text, "_");
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
    if (key->data)
        key->size = swi_characters_size(key->data, most - CHECKSUM);
    swi_text_format(key, "-%08x", (unsigned)swi_crc32(0, raw, size));
}

void swi_clean_key(struct swi_text *key, const char *raw, size_t size, size_t most, bool plain)
{
    struct swi_text characters = {0};
    characters_add(&characters, raw, size, plain);
    parts_add(key, characters.data ? characters.data : "");
    bool same = key->size == size && size && memcmp(key->data, raw, size) == 0;
    if (!same || swi_characters_size(key->data, most) < key->size)
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
