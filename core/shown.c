/* SPDX-License-Identifier: MIT */
#include "core/shown.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes a character has by its first byte, and what that byte gives to the code. */
static size_t utf8_length(unsigned char first, uint32_t *code)
{
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first >= 0xf5)
        return 0;
    *code = first & (0xffu >> (length + 1));
    return length;
}

size_t swi_utf8_next(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    size_t length = size ? utf8_length((unsigned char)*text, &value) : 0;
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

/* Whether a character would steer the terminal, change the order of what stands around it, or pass
 * for a blank. */
static bool is_unsafe(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},     {0x7f, 0xa0},     {0x61c, 0x61c},   {0x2000, 0x200f}, {0x2028, 0x202f},
        {0x205f, 0x206f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* One character, or one byte that is none, as it is shown; returns the bytes it took of text. */
static size_t show_one(char shown[16], const char *text, size_t size)
{
    uint32_t code = 0;
    size_t length = swi_utf8_next(text, size, &code);
    if (!length)
        snprintf(shown, 16, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (!is_unsafe(code))
        snprintf(shown, 16, "%.*s", (int)length, text);
    else if (code < 0x80)
        snprintf(shown, 16, "\\x%02" PRIx32, code);
    else
        snprintf(shown, 16, "\\u{%" PRIx32 "}", code);
    return length ? length : 1;
}

const char *swi_show(char *buffer, size_t size, const char *text)
{
    static const char dots[] = "...";
    size_t left = strlen(text), used = 0, cut = 0;
    while (left) {
        char shown[16];
        size_t taken = show_one(shown, text, left), length = strlen(shown);
        if (used + length >= size) {
            memcpy(buffer + cut, dots, sizeof dots);
            return buffer;
        }
        memcpy(buffer + used, shown, length);
        used += length;
        if (used + sizeof dots <= size)
            cut = used;
        text += taken;
        left -= taken;
    }
    buffer[used] = '\0';
    return buffer;
}
