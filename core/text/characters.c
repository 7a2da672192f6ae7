/* SPDX-License-Identifier: MIT */
#include "core/text/characters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of a character by its first byte, and sets the part of the code in that byte.
 */
static size_t length_of(unsigned char first, uint32_t *code)
{
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    if (first < 0xc2 || first > 0xf4)
        return 0;
    size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    *code = first & (0x7fu >> length);
    return length;
}

size_t swi_utf8_next(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    size_t length = size ? length_of((unsigned char)*text, &value) : 0;
    if (!length || length > size)
        return 0;
    for (size_t i = 1; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (byte & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *code = value;
    return length;
}

bool swi_utf8_is_valid(const char *text, size_t size)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        if (length == 0)
            return false;
    }
    return true;
}

char *swi_utf8_repair(const char *text, size_t size)
{
    uint32_t code;
    char *copy = size < SIZE_MAX / 4 ? malloc(4 * size + 1) : NULL, *to = copy;
    for (size_t at = 0; copy && at < size;) {
        size_t length = swi_utf8_next(text + at, size - at, &code);
        if (length)
            memcpy(to, text + at, length);
        else
            snprintf(to, 5, "\\x%02x", (unsigned)(unsigned char)text[at]);
        to += length ? length : 4;
        at += length ? length : 1;
    }
    if (!copy)
        return NULL;
    *to = '\0';
    char *fit = realloc(copy, (size_t)(to - copy) + 1);
    return fit ? fit : copy;
}

bool swi_character_is_unsafe(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x1680, 0x1680},   {0x180e, 0x180e},
        {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},   {0x3000, 0x3000},
        {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f},
    };
    if (code >= ' ' && code < 0x7f)
        return false;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return (code & 0xfffe) == 0xfffe;
}

size_t swi_utf8_fit(const char *text, size_t most)
{
    size_t size = strnlen(text, most + 1);
    if (size <= most)
        return size;
    for (size = most; size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80 && most - size < 4;)
        size--;
    return size;
}
