/* SPDX-License-Identifier: MIT */
/* characters.h - UTF-8, and which characters of a text that others made may be shown as they are.
 *
 * The one rule of the tree: the library, the sinks and the command all include it. A plugin has no
 * symbol of the library, so that all of it is inline. */
#ifndef CORE_TEXT_CHARACTERS_H
#define CORE_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes a character has by its first byte, and what that byte gives to the code. */
static inline size_t swi_utf8_length(unsigned char first, uint32_t *code)
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

/* The UTF-8 character that begins at text: sets code and returns its bytes (1..4), or returns 0
 * where there is none: invalid, overlong, a surrogate, cut off, or size 0. */
static inline size_t swi_utf8_next(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    size_t length = size ? swi_utf8_length((unsigned char)*text, &value) : 0;
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

/* Whether a character would steer a terminal, change the order of what stands around it, not be
 * seen or pass for a blank: the categories Cc, Cf, Zl, Zp and Zs (but for the blank itself) of
 * Unicode 16, the fillers of Hangul, and what is no character. */
static inline bool swi_character_is_unsafe(uint32_t code)
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

#endif
